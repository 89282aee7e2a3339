import { parseArgs } from 'node:util';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { IDEMPOTENCY_KEY, isPreview, keyOf, languageOf, PREVIEW, type Preview } from '../meta.ts';
import { SaidError, spoken } from '../said.ts';
import { Changes, hashOf, type Wanted } from './changes.ts';
import { diffOf } from './diff.ts';
import { fits, search, walk } from './search.ts';
import { Workspace } from './workspace.ts';

const MAX_CHARACTERS = 200_000;
const MAX_ENTRIES = 1000;

const { values: options } = parseArgs({ options: { root: { type: 'string' } } });
const opened = Workspace.open(options.root ?? process.env.DANDORI_FILES_ROOT_DIR ?? process.cwd()).then(
  (workspace) => ({ workspace, changes: new Changes(workspace) }),
);
// The caller of the tool gets the error.
opened.catch(() => undefined);

const path = z.string().min(1).max(1000).describe('Path inside the folder (パス), e.g. docs/plan.md');
/** Nothing is lost: a copy is kept, and undo_change brings it back. */
const REVERSIBLE = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;
const SAFE_TO_REPEAT = { [IDEMPOTENCY_KEY]: true, [PREVIEW]: true };
const changed = z.object({
  path: z.string().describe('The file (ファイル)'),
  summary: z.string().describe('What was done, in a sentence (変更内容)'),
  diff: z.string().describe('The change as a unified diff (差分)'),
  change: z.string().optional().describe('Number of the change, for undo_change (変更番号)'),
});

interface Planned {
  readonly wanted: Wanted;
  readonly result: { path: string; summary: string; diff: string };
  /** The same in Japanese. */
  readonly japanese: string;
  /** Arguments that bind the call to the file as it is now. */
  readonly args?: Record<string, unknown>;
}

export function registerTools(server: McpServer): void {
  registerReadingTools(server);
  registerWritingTools(server);
}

function registerReadingTools(server: McpServer): void {
  server.registerTool(
    'list_files',
    {
      title: 'List files (ファイル一覧)',
      description:
        'List files and folders of the workspace. ファイル一覧・フォルダの中身を調べる (list files, ls, directory).',
      inputSchema: z.strictObject({
        path: path.default('.').describe('Folder (フォルダ). Default: the whole workspace'),
        depth: z.number().int().min(1).max(20).default(1).describe('How many levels (階層). Default 1'),
        name: z.string().max(200).default('*').describe('Only names like this, e.g. *.md (名前)'),
      }),
      outputSchema: z.object({
        entries: z
          .array(
            z.object({
              path: z.string(),
              type: z.enum(['file', 'folder', 'link', 'other']),
              bytes: z.number(),
              modified: z.string(),
            }),
          )
          .describe('Files and folders (ファイルとフォルダ)'),
        truncated: z.boolean().describe('Whether there are more'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async (input) => {
      const { workspace } = await opened;
      const entries = [];
      let truncated = false;
      for await (const entry of walk(workspace, input.path, input.depth)) {
        if (!fits(entry.path, input.name)) continue;
        truncated = entries.length >= MAX_ENTRIES;
        if (truncated) break;
        entries.push(entry);
      }
      const lines = entries.map((entry) => (entry.type === 'folder' ? `${entry.path}/` : entry.path));
      return answer({ entries, truncated }, [...lines, ...(truncated ? ['…'] : [])].join('\n') || '(empty)');
    }),
  );

  server.registerTool(
    'read_file',
    {
      title: 'Read a file (ファイルを読む)',
      description:
        'Read a text file of the workspace. ファイルを読む・内容を表示する (read file, open, cat).',
      inputSchema: z.strictObject({
        path,
        from_line: z.number().int().min(1).default(1).describe('First line (開始行). Default 1'),
        max_lines: z.number().int().min(1).max(1_000_000).optional().describe('Most lines (最大行数)'),
      }),
      outputSchema: z.object({
        path: z.string(),
        text: z.string().describe('The text (本文)'),
        from_line: z.number().int(),
        to_line: z.number().int(),
        lines: z.number().int().describe('Lines of the whole file (全行数)'),
        truncated: z.boolean().describe('Whether the file goes on after this'),
        sha256: z.string().describe('SHA-256 of the whole file, for expected_sha256'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async (input) => {
      const { workspace } = await opened;
      const { text, sha256 } = await existingText(input.path);
      const lines = text.split('\n');
      const chosen = lines.slice(
        input.from_line - 1,
        input.from_line - 1 + (input.max_lines ?? lines.length),
      );
      const whole = chosen.join('\n');
      const shown = whole.length > MAX_CHARACTERS ? whole.slice(0, MAX_CHARACTERS) : whole;
      const to_line = input.from_line + shown.split('\n').length - 1;
      const truncated = shown.length < whole.length || to_line < lines.length;
      const name = workspace.nameOf(await workspace.locate(input.path));
      return answer(
        {
          path: name,
          text: shown,
          from_line: input.from_line,
          to_line,
          lines: lines.length,
          truncated,
          sha256,
        },
        truncated ? `${shown}\n… (${lines.length} lines; go on with from_line)` : shown,
      );
    }),
  );

  server.registerTool(
    'search_files',
    {
      title: 'Search in files (ファイル内検索)',
      description:
        'Find a text in the files of the workspace. ファイル内を検索する (search files, grep, find text).',
      inputSchema: z.strictObject({
        text: z.string().min(1).max(500).describe('Text to find (検索する文字列); not a pattern'),
        path: path.default('.').describe('Folder (フォルダ). Default: the whole workspace'),
        name: z.string().max(200).default('*').describe('Only files named like this, e.g. *.ts (名前)'),
        ignore_case: z.boolean().default(true).describe('Whether a and A are the same. Default true'),
        max: z.number().int().min(1).max(1000).default(100).describe('Most matches (最大件数)'),
      }),
      outputSchema: z.object({
        matches: z
          .array(z.object({ path: z.string(), line: z.number().int(), text: z.string() }))
          .describe('Lines that hold the text (一致した行)'),
        files_searched: z.number().int(),
        truncated: z.boolean().describe('Whether there may be more'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async ({ ignore_case: ignoreCase, ...input }, context) => {
      const { workspace } = await opened;
      const found = await search(workspace, { ...input, ignoreCase, signal: context.mcpReq.signal });
      const lines = found.matches.map((match) => `${match.path}:${match.line}: ${match.text}`);
      return answer({ ...found }, lines.join('\n') || 'No matches');
    }),
  );
}

function registerWritingTools(server: McpServer): void {
  server.registerTool(
    'write_file',
    {
      title: 'Write a file (ファイルを書く)',
      description:
        'Write a whole text file of the workspace; folders are made as needed, and a copy of the old text is kept. ' +
        'ファイルを書く・作成する・保存する (write file, create, save).',
      inputSchema: z.strictObject({
        path,
        text: z.string().max(5_000_000).describe('The whole new text (全文)'),
        expected_sha256: expectedHash(),
      }),
      outputSchema: changed,
      annotations: { ...REVERSIBLE, idempotentHint: true },
      _meta: SAFE_TO_REPEAT,
    },
    spoken((input, context) =>
      perform(context, ['write_file', input], async () => {
        const old = await textOf(input.path);
        requireSame(input.path, old?.sha256 ?? ABSENT, input.expected_sha256);
        const what = old === undefined ? 'Create' : 'Replace';
        const change = await contentChange(what, input.path, old?.text ?? '', input.text);
        return { ...change, args: { expected_sha256: old?.sha256 ?? ABSENT } };
      }),
    ),
  );

  server.registerTool(
    'edit_file',
    {
      title: 'Edit a file (ファイルを編集)',
      description:
        'Replace passages of a text file of the workspace; a copy of the old text is kept. ' +
        'ファイルを編集する・一部を書き換える (edit file, replace text).',
      inputSchema: z.strictObject({
        path,
        edits: z
          .array(
            z.strictObject({
              old: z.string().min(1).describe('Passage that stands in the file exactly once (置換前)'),
              new: z.string().describe('What to put there (置換後)'),
            }),
          )
          .min(1)
          .max(200)
          .describe('Replacements, made one after the other (置換)'),
        expected_sha256: expectedHash(),
      }),
      outputSchema: changed,
      annotations: { ...REVERSIBLE, idempotentHint: false },
      _meta: SAFE_TO_REPEAT,
    },
    spoken((input, context) =>
      perform(context, ['edit_file', input], async () => {
        const { text, sha256 } = await existingText(input.path);
        requireSame(input.path, sha256, input.expected_sha256);
        const change = await contentChange('Edit', input.path, text, edited(text, input.path, input.edits));
        return { ...change, args: { expected_sha256: sha256 } };
      }),
    ),
  );

  server.registerTool(
    'move_file',
    {
      title: 'Move a file (ファイルを移動)',
      description:
        'Move or rename a file of the workspace. Nothing is overwritten. ファイルを移動する・名前を変える (move, rename).',
      inputSchema: z.strictObject({
        from: path.describe('The file (移動元)'),
        to: path.describe('Its new path (移動先)'),
      }),
      outputSchema: changed,
      annotations: { ...REVERSIBLE, idempotentHint: false },
      _meta: SAFE_TO_REPEAT,
    },
    spoken((input, context) =>
      perform(context, ['move_file', input], async () => {
        await existing(input.from);
        const [from, to] = await Promise.all([nameOf(input.from), nameOf(input.to)]);
        if (await isThere(input.to))
          throw new SaidError({
            en: `${to} exists already. Choose another name.`,
            ja: `${to} はすでにあります。別の名前にしてください。`,
          });
        return moveChange(from, to);
      }),
    ),
  );

  server.registerTool(
    'undo_change',
    {
      title: 'Undo a change (変更を元に戻す)',
      description:
        'Bring back a file as it was before write_file, edit_file or move_file. ' +
        '変更を元に戻す・取り消す (undo, restore, revert).',
      inputSchema: z.strictObject({
        change: z.string().min(8).max(64).describe('Number of the change (変更番号)'),
      }),
      outputSchema: changed,
      annotations: { ...REVERSIBLE, idempotentHint: false },
      _meta: SAFE_TO_REPEAT,
    },
    spoken((input, context) =>
      perform(context, ['undo_change', input], async () => {
        const { changes } = await opened;
        const change = await changes.find(input.change);
        if (change === undefined)
          throw new SaidError({
            en: `There is no change ${input.change}.`,
            ja: `変更 ${input.change} はありません。`,
          });
        if (change.to !== undefined) return moveChange(change.to, change.path);
        const [now, before] = await Promise.all([changes.current(change.path), changes.before(change)]);
        if ((now === undefined ? null : hashOf(now)) !== change.after)
          throw new SaidError({
            en: `${change.path} was changed again after that. Undo the later change first.`,
            ja: `${change.path} はその後さらに変更されています。先に新しい変更を取り消してください。`,
          });
        const diff = diffOf(change.path, decoded(now), decoded(before));
        const what = before === undefined ? 'Remove' : 'Restore';
        return {
          wanted: { kind: 'content', path: change.path, after: before },
          result: { path: change.path, summary: `${what} ${change.path}`, diff },
          japanese: `${change.path} を${JAPANESE[what]}。`,
        };
      }),
    ),
  );
}

/** Answers with what would be done, or does it at most once. */
async function perform(context: ServerContext, request: unknown, prepare: () => Promise<Planned>) {
  if (isPreview(context)) {
    const { result, japanese, args } = await prepare();
    const preview: Preview = {
      summary: languageOf(context) === 'ja' ? japanese : result.summary,
      diff: result.diff,
      reversible: true,
      ...(args !== undefined && { args }),
    };
    return { ...answer(result, `${result.summary}\n${result.diff}`), _meta: { [PREVIEW]: preview } };
  }
  const { changes } = await opened;
  const result = await changes.make({ key: keyOf(context), request, prepare });
  return answer(result, `${result.summary} (change ${result.change})\n${result.diff}`);
}

const JAPANESE = {
  Create: '作成します',
  Replace: '書き換えます',
  Edit: '編集します',
  Remove: '削除します',
  Restore: '元に戻します',
} as const;

async function contentChange(
  verb: 'Create' | 'Replace' | 'Edit',
  name: string,
  before: string,
  after: string,
): Promise<Planned> {
  const file = await nameOf(name);
  return {
    wanted: { kind: 'content', path: file, after: Buffer.from(after) },
    result: { path: file, summary: `${verb} ${file}`, diff: diffOf(file, before, after) },
    japanese: `${file} を${JAPANESE[verb]}。`,
  };
}

function moveChange(from: string, to: string): Planned {
  return {
    wanted: { kind: 'move', path: from, to },
    result: { path: to, summary: `Move ${from} to ${to}`, diff: '' },
    japanese: `${from} を ${to} に移動します。`,
  };
}

async function nameOf(file: string): Promise<string> {
  const { workspace } = await opened;
  return workspace.nameOf(await workspace.locate(file));
}

/** There is no file yet. */
const ABSENT = 'absent';

function expectedHash() {
  return z
    .string()
    .regex(/^(?:[0-9a-f]{64}|absent)$/)
    .optional()
    .describe('Refuse if the file is not as read_file showed it (sha256), or if there is one ("absent")');
}

function requireSame(file: string, actual: string, expected: string | undefined): void {
  if (expected !== undefined && expected !== actual)
    throw new SaidError({
      en: `${file} has changed since it was read. Read it again.`,
      ja: `${file} は読み取り後に変更されました。読み直してください。`,
    });
}

function edited(text: string, file: string, edits: readonly { old: string; new: string }[]): string {
  let result = text;
  for (const [index, edit] of edits.entries()) {
    const at = result.indexOf(edit.old);
    if (at < 0)
      throw new SaidError({
        en: `Edit ${index + 1}: the passage is not in ${file}. Read the file again.`,
        ja: `編集 ${index + 1}：該当箇所が ${file} にありません。読み直してください。`,
      });
    if (result.indexOf(edit.old, at + 1) >= 0)
      throw new SaidError({
        en: `Edit ${index + 1}: the passage stands in ${file} more than once. Send a longer one.`,
        ja: `編集 ${index + 1}：該当箇所が ${file} に複数あります。もっと長く指定してください。`,
      });
    result = result.slice(0, at) + edit.new + result.slice(at + edit.old.length);
  }
  return result;
}

async function textOf(file: string): Promise<{ text: string; sha256: string } | undefined> {
  const { changes } = await opened;
  const data = await changes.current(file);
  if (data === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return { text, sha256: hashOf(data) };
  } catch {
    throw new SaidError({
      en: `${file} is not a text in UTF-8.`,
      ja: `${file} は UTF-8 のテキストではありません。`,
    });
  }
}

async function existingText(file: string): Promise<{ text: string; sha256: string }> {
  const found = await textOf(file);
  if (found === undefined)
    throw new SaidError({
      en: `There is no file ${file}. Use list_files for the names.`,
      ja: `ファイル ${file} はありません。名前は list_files で確認できます。`,
    });
  return found;
}

async function existing(file: string): Promise<void> {
  const { changes } = await opened;
  if ((await changes.current(file)) === undefined)
    throw new SaidError({
      en: `There is no file ${file}. Use list_files for the names.`,
      ja: `ファイル ${file} はありません。名前は list_files で確認できます。`,
    });
}

async function isThere(file: string): Promise<boolean> {
  const { workspace } = await opened;
  const handle = await workspace.read(file);
  await handle?.close();
  return handle !== undefined;
}

function decoded(data: Uint8Array | undefined): string {
  return data === undefined ? '' : new TextDecoder().decode(data);
}
