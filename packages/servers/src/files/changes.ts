import { createHash, randomUUID } from 'node:crypto';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SaidError } from '../said.ts';
import { codeOf, exists, type Workspace, writeNew } from './workspace.ts';

/** Where the records of changes and the kept copies are, inside the folder. */
const KEPT = '.dandori/files';
/** A larger file is neither read nor changed. */
const MAX_BYTES = 10_000_000;

/** What a tool wants done. `undefined` means that there is no file. */
export type Wanted =
  | { readonly kind: 'content'; readonly path: string; readonly after: Uint8Array | undefined }
  | { readonly kind: 'move'; readonly path: string; readonly to: string };

/** The record of one change. It is durable before anything changes. */
export interface Change {
  readonly id: string;
  readonly at: string;
  readonly kind: Wanted['kind'];
  readonly path: string;
  readonly to?: string;
  /** SHA-256 of the file before and after; null means that there was none. */
  readonly before: string | null;
  readonly after: string | null;
  /** SHA-256 of the request, so that a key is not used for another one. */
  readonly request: string;
  /** What the tool answered. */
  readonly result: Record<string, unknown>;
}

interface Request {
  readonly key: string | undefined;
  /** What was asked for, as it came. */
  readonly request: unknown;
  readonly prepare: () => Promise<{ wanted: Wanted; result: Record<string, unknown> }>;
}

/**
 * Makes changes that can be undone, and each at most once per idempotency key.
 *
 * C1  The record and a copy of the file are on disk before the file changes.
 * C2  A file is replaced by a rename, so that a reader sees the old text or the new one, never a part.
 * C3  A call repeated after a crash finds its record: it finishes what was not done, and repeats nothing.
 */
export class Changes {
  readonly #workspace: Workspace;
  #last: Promise<unknown> = Promise.resolve();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** One after another, because an edit must see the previous one. */
  make(request: Request): Promise<Record<string, unknown>> {
    const made = this.#last.then(() => this.#make(request));
    this.#last = made.catch(() => undefined);
    return made;
  }

  async find(id: string): Promise<Change | undefined> {
    if (!/^[\w-]{8,64}$/.test(id)) return undefined;
    const text = await readFile(join(await this.#folder(), `${id}.json`), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Change);
  }

  /** The copy of the file as it was before a change. */
  async before({ id, before }: Change): Promise<Uint8Array | undefined> {
    return before === null ? undefined : readFile(join(await this.#folder(), `${id}.before`));
  }

  /** The bytes of a file, or undefined if there is none. */
  async current(path: string): Promise<Uint8Array | undefined> {
    const file = await this.#workspace.read(path);
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      const data = size > MAX_BYTES ? undefined : await readUpTo(file, size, MAX_BYTES);
      if (data === undefined)
        throw new SaidError({
          en: `${path} has more than ${MAX_BYTES} bytes, which is the most that can be used.`,
          ja: `${path} は大きすぎます。上限は ${MAX_BYTES} バイトです。`,
        });
      return data;
    } finally {
      await file.close();
    }
  }

  async #make({ key, request, prepare }: Request): Promise<Record<string, unknown>> {
    const digest = hashOf(JSON.stringify(request));
    const id = key === undefined ? randomUUID() : hashOf(key).slice(0, 32);
    const made = key === undefined ? undefined : await this.find(id);
    if (made !== undefined) return this.#finish(made, digest);
    const { wanted, result } = await prepare();
    const before = await this.current(wanted.path);
    const after = wanted.kind === 'move' ? before : wanted.after;
    const change: Change = {
      id,
      at: new Date().toISOString(),
      kind: wanted.kind,
      path: wanted.path,
      ...(wanted.kind === 'move' ? { to: wanted.to } : {}),
      before: before === undefined ? null : hashOf(before),
      after: after === undefined ? null : hashOf(after),
      request: digest,
      result: { ...result, change: id },
    };
    const folder = await this.#folder();
    if (wanted.kind === 'content') {
      if (before !== undefined) await replaceFile(join(folder, `${id}.before`), before);
      if (after !== undefined) await replaceFile(join(folder, `${id}.after`), after);
    }
    await replaceFile(join(folder, `${id}.json`), Buffer.from(JSON.stringify(change)));
    await this.#apply(change);
    return change.result;
  }

  async #finish(change: Change, digest: string): Promise<Record<string, unknown>> {
    if (change.request !== digest)
      throw new Error('This idempotency key was already used for a different request. Use a new key.');
    const folder = await this.#folder();
    if (await exists(join(folder, `${change.id}.done`))) return change.result;
    if (!(await this.#isDone(change))) await this.#apply(change);
    else await this.#markDone(change);
    return change.result;
  }

  /** Whether a change that was begun before a crash has happened. */
  async #isDone(change: Change): Promise<boolean> {
    const now = await this.#hash(change.path);
    if (change.to !== undefined) {
      const there = await this.#hash(change.to);
      if (there === change.after && now === null) return true;
      if (now === change.before) return false;
    } else if (now === change.after) return true;
    else if (now === change.before) return false;
    throw new SaidError({
      en: `${change.path} was changed by another program after this call began. Read it again.`,
      ja: `${change.path} は、この呼び出しの途中で別のプログラムに変更されました。読み直してください。`,
    });
  }

  async #apply(change: Change): Promise<void> {
    const { path, to } = change;
    if (to !== undefined) {
      await this.#workspace.change(path, (source) =>
        this.#workspace.change(to, (target) => moveFile(source, target, to)),
      );
    } else if (change.after === null) {
      await this.#workspace.change(path, (target) => unlink(target));
    } else {
      const data = await readFile(join(await this.#folder(), `${change.id}.after`));
      await this.#workspace.change(path, (target) => replaceFile(target, data, `.${change.id}.tmp`));
    }
    await this.#markDone(change);
  }

  async #markDone({ id }: Change): Promise<void> {
    const folder = await this.#folder();
    await replaceFile(join(folder, `${id}.done`), new Uint8Array());
    // The file itself has the new text now.
    await rm(join(folder, `${id}.after`), { force: true });
  }

  async #hash(path: string): Promise<string | null> {
    const data = await this.current(path);
    return data === undefined ? null : hashOf(data);
  }

  async #folder(): Promise<string> {
    const folder = join(this.#workspace.root, KEPT);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A link there would take the copies out of the folder.
    if ((await realpath(folder)) !== folder)
      throw new SaidError({
        en: `${KEPT} is a link. Remove it.`,
        ja: `${KEPT} がリンクになっています。削除してください。`,
      });
    return folder;
  }
}

/** The whole file, or undefined if it has more bytes. It may grow while it is read. */
async function readUpTo(file: FileHandle, size: number, most: number): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const part = Buffer.alloc(Math.max(size - length, 0) + 1);
    const { bytesRead } = await file.read(part, 0, part.length, length);
    if (bytesRead === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, bytesRead));
    length += bytesRead;
    if (length > most) return undefined;
  }
}

export function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Replaces a file as a whole and makes it durable. Its permissions stay. */
async function replaceFile(path: string, data: Uint8Array, ending = `.${randomUUID()}.tmp`): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 150)}${ending}`);
  const mode = await lstat(path).then(
    (stat) => stat.mode & 0o777,
    () => undefined,
  );
  await rm(temporary, { force: true });
  try {
    await writeNew(temporary, data, mode);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
}

/** A rename would replace an existing file. A link fails instead. */
async function moveFile(source: string, target: string, name: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new SaidError({
        en: `${name} exists already. Choose another name.`,
        ja: `${name} はすでにあります。別の名前にしてください。`,
      });
    throw error;
  }
  await unlink(source);
  await syncFolder(dirname(target));
  await syncFolder(dirname(source));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
