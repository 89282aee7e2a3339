import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SaidError } from '../said.ts';

/** Folders that no tool may touch: the runs and keys of Dandori, with our kept copies, and the history of git. */
const RESERVED = ['.dandori', '.git'];
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export interface Entry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: number;
  readonly modified: string;
}

/**
 * One folder and everything below it. A path that leads out of it, by `..`, by an absolute path or by a link, is
 * refused.
 *
 * A check of a path alone would be too early: the folder may be replaced by a link before the file is opened. So the
 * parent folder is opened first, the system says where it really is, and the file is reached through that open folder.
 */
export class Workspace {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(folder: string): Promise<Workspace> {
    return new Workspace(await realpath(folder));
  }

  /** The path as tools name it: relative, with `/`. */
  nameOf(path: string): string {
    return relative(this.root, path).split(sep).join('/') || '.';
  }

  /** Where a path really is. Links are followed as long as they stay inside. */
  async locate(path: string): Promise<string> {
    const wanted = this.#inside(resolve(this.root, path), path);
    try {
      return this.#inside(await realpath(wanted), path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw explained(error, path);
      if (await exists(wanted))
        throw new SaidError({
          en: `${path} is a link to something that does not exist.`,
          ja: `${path} のリンク先がありません。`,
        });
      if (wanted === this.root)
        throw new SaidError({
          en: `The folder ${this.root} does not exist any more.`,
          ja: `フォルダー ${this.root} がなくなりました。`,
        });
      return join(await this.locate(this.nameOf(dirname(wanted))), basename(wanted));
    }
  }

  /** Opens an existing file for reading. `undefined` if there is none. */
  async read(path: string): Promise<FileHandle | undefined> {
    const real = await this.locate(path);
    const parent = await this.#parent(real, path);
    if (parent === undefined) return undefined;
    try {
      const file = await open(parent.child(basename(real)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if ((await file.stat()).isFile()) return file;
      await file.close();
      throw new SaidError({
        en: `${path} is not a file. Use list_files for folders.`,
        ja: `${path} はファイルではありません。フォルダーには list_files を使ってください。`,
      });
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw explained(error, path);
    } finally {
      await parent.close();
    }
  }

  /** Calls `change` with the path of the file inside its open parent folder, which is made if it is missing. */
  async change<Result>(path: string, change: (target: string) => Promise<Result>): Promise<Result> {
    const real = await this.locate(path);
    if (real === this.root)
      throw new SaidError({
        en: 'Name a file inside the folder, not the folder itself.',
        ja: 'フォルダー自体ではなく、その中のファイルを指定してください。',
      });
    await this.#makeFolders(dirname(real), path);
    const parent = await this.#parent(real, path);
    if (parent === undefined)
      throw new SaidError({
        en: `The folder of ${path} was removed in the meantime.`,
        ja: `${path} のフォルダーが途中で削除されました。`,
      });
    try {
      return await change(parent.child(basename(real)));
    } catch (error) {
      throw explained(error, path);
    } finally {
      await parent.close();
    }
  }

  /** The entries of one folder, sorted by name. Reserved folders are left out. */
  async list(path: string): Promise<Entry[]> {
    const real = await this.locate(path);
    const folder = await this.#open(real, path);
    if (folder === undefined)
      throw new SaidError({ en: `There is no folder ${path}.`, ja: `フォルダー ${path} はありません。` });
    try {
      const names = await readdir(folder.path);
      const entries = await Promise.all(
        names
          .filter((name) => !isReserved(name))
          .map((name) => this.#entry(folder.child(name), join(real, name))),
      );
      return entries
        .filter((entry) => entry !== undefined)
        .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    } catch (error) {
      throw explained(error, path);
    } finally {
      await folder.close();
    }
  }

  async #entry(at: string, real: string): Promise<Entry | undefined> {
    const stat = await lstat(at).catch(() => undefined);
    if (stat === undefined) return undefined;
    const type = stat.isFile()
      ? 'file'
      : stat.isDirectory()
        ? 'folder'
        : stat.isSymbolicLink()
          ? 'link'
          : 'other';
    return { path: this.nameOf(real), type, bytes: stat.size, modified: stat.mtime.toISOString() };
  }

  #inside(real: string, path: string): string {
    const name = relative(this.root, real);
    if (name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name)) {
      throw new SaidError({
        en: `${path} is outside of the folder ${this.root}. Only files inside it can be used.`,
        ja: `${path} はフォルダー ${this.root} の外にあります。使えるのは中のファイルだけです。`,
      });
    }
    // At every level: a repository inside the folder has hooks too, which git runs.
    const reserved = name.split(sep).find(isReserved);
    if (reserved !== undefined) {
      throw new SaidError({
        en: `${path} is in ${reserved}, which is reserved. Choose another file.`,
        ja: `${path} は予約済みの ${reserved} の中にあります。別のファイルを指定してください。`,
      });
    }
    return real;
  }

  async #makeFolders(folder: string, path: string): Promise<void> {
    if (folder === this.root || (await exists(folder))) return;
    await this.#makeFolders(dirname(folder), path);
    const parent = await this.#parent(folder, path);
    try {
      await mkdir(parent?.child(basename(folder)) ?? folder);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw explained(error, path);
    } finally {
      await parent?.close();
    }
  }

  #parent(real: string, path: string): Promise<OpenFolder | undefined> {
    return this.#open(real === this.root ? real : dirname(real), path);
  }

  async #open(real: string, path: string): Promise<OpenFolder | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw explained(error, path);
    }
    const folder = await OpenFolder.of(handle, real);
    try {
      this.#inside(folder.real, path);
      return folder;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }
}

function isReserved(name: string): boolean {
  return RESERVED.includes(name.toLowerCase());
}

/** An open folder. It stays the same folder even if its path changes. */
class OpenFolder {
  /** Where it really is. */
  readonly real: string;
  /** How its files are reached. */
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, real: string, path: string) {
    this.#handle = handle;
    this.real = real;
    this.path = path;
  }

  static async of(handle: FileHandle, real: string): Promise<OpenFolder> {
    const through = `/proc/self/fd/${handle.fd}`;
    try {
      return new OpenFolder(handle, await readlink(through), through);
    } catch {
      // Systems without /proc: the path is checked again, which leaves a small gap.
      return new OpenFolder(handle, await realpath(real), real);
    }
  }

  child(name: string): string {
    return `${this.path}/${name}`;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Writes a file that must not exist, and makes it durable. */
export async function writeNew(path: string, data: Uint8Array, mode = 0o644): Promise<void> {
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** The reason for the caller of the tool, without absolute paths of this machine. */
function explained(error: unknown, path: string): unknown {
  const reasons: Readonly<Record<string, [en: string, ja: string]>> = {
    EACCES: [`${path} cannot be used: permission denied.`, `${path} を使う権限がありません。`],
    EISDIR: [`${path} is a folder.`, `${path} はフォルダーです。`],
    ELOOP: [
      `${path} is a link. Name the file that it leads to.`,
      `${path} はリンクです。リンク先のファイルを指定してください。`,
    ],
    ENAMETOOLONG: ['The path is too long.', 'パスが長すぎます。'],
    ENOENT: [`There is no ${path}.`, `${path} はありません。`],
    ENOSPC: ['The disk is full.', 'ディスクの空きがありません。'],
    ENOTDIR: [`A part of ${path} is a file, not a folder.`, `${path} の途中にファイルがあります。`],
    ENXIO: [`${path} is not a regular file.`, `${path} は通常のファイルではありません。`],
    EROFS: [`${path} is on a read-only disk.`, `${path} は読み取り専用のディスクにあります。`],
  };
  const [en, ja] = reasons[codeOf(error) ?? ''] ?? [];
  return en === undefined || ja === undefined ? error : new SaidError({ en, ja });
}
