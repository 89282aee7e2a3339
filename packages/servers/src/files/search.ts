import type { Entry, Workspace } from './workspace.ts';

const MAX_FILES = 20_000;
const MAX_SEARCHED_BYTES = 2_000_000;
const MAX_LINE = 300;
/** Folders with third-party code. They are searched only if the caller names them. */
const SKIPPED = ['node_modules', '.venv', '__pycache__'];

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Found {
  readonly matches: Match[];
  readonly files_searched: number;
  readonly truncated: boolean;
}

/** All entries below a folder, folders before what is in them. Links are shown and not followed. */
export async function* walk(workspace: Workspace, path: string, depth: number): AsyncGenerator<Entry> {
  for (const entry of await workspace.list(path)) {
    yield entry;
    const name = entry.path.split('/').at(-1) ?? '';
    if (entry.type === 'folder' && depth > 1 && !SKIPPED.includes(name))
      yield* walk(workspace, entry.path, depth - 1);
  }
}

export async function search(
  workspace: Workspace,
  options: {
    text: string;
    path: string;
    name: string;
    ignoreCase: boolean;
    max: number;
    signal: AbortSignal;
  },
): Promise<Found> {
  const { text, path, name, ignoreCase, max, signal } = options;
  const fold = (line: string) => (ignoreCase ? line.toLowerCase() : line);
  const wanted = fold(text);
  const matches: Match[] = [];
  let searched = 0;
  for await (const entry of walk(workspace, path, Number.POSITIVE_INFINITY)) {
    signal.throwIfAborted();
    if (entry.type !== 'file' || entry.bytes > MAX_SEARCHED_BYTES || !fits(entry.path, name)) continue;
    if (searched >= MAX_FILES) return { matches, files_searched: searched, truncated: true };
    searched++;
    for (const [index, line] of (await linesOf(workspace, entry.path)).entries()) {
      if (!fold(line).includes(wanted)) continue;
      if (matches.length >= max) return { matches, files_searched: searched, truncated: true };
      matches.push({ path: entry.path, line: index + 1, text: line.trim().slice(0, MAX_LINE) });
    }
  }
  return { matches, files_searched: searched, truncated: false };
}

async function linesOf(workspace: Workspace, path: string): Promise<string[]> {
  const file = await workspace.read(path).catch(() => undefined);
  if (file === undefined) return [];
  try {
    const data = await file.readFile();
    return data.includes(0) ? [] : data.toString('utf8').split(/\r?\n/);
  } finally {
    await file.close();
  }
}

/** Whether a file's name fits a pattern in which `*` stands for any characters. Takes linear steps for each `*`. */
export function fits(path: string, pattern: string): boolean {
  const name = (path.split('/').at(-1) ?? '').toLowerCase();
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  if (rest.length === 0) return name === first;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > name.length - last.length) return false;
    from = at + part.length;
  }
  return true;
}
