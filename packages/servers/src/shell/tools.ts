import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { isPreview, languageOf, PREVIEW, type Preview } from '../meta.ts';
import { SaidError, spoken } from '../said.ts';
import { isAllowed, parseAllowed, textOf } from './allowed.ts';
import { runCommand } from './command.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3600;
const MAX_OUTPUT = 60_000;
/** Variables that programs need. Others, such as API keys, are not passed on. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'SystemRoot'];

const { values: options } = parseArgs({
  options: {
    root: { type: 'string' },
    allow: { type: 'string', multiple: true },
    timeout: { type: 'string' },
    env: { type: 'string', multiple: true },
  },
});
const root = resolve(options.root ?? process.env.DANDORI_SHELL_ROOT_DIR ?? process.cwd());
const allowed = (options.allow ?? process.env.DANDORI_SHELL_ALLOW?.split('\n') ?? [])
  .filter((entry) => entry.trim() !== '')
  .map(parseAllowed);
const mostSeconds = Math.min(Number(options.timeout) || DEFAULT_SECONDS, MAX_SECONDS);

export function registerTools(server: McpServer): void {
  server.registerTool(
    'list_commands',
    {
      title: 'List commands (実行できるコマンド)',
      description: 'List the commands that run_command may run. 実行できるコマンドの一覧 (allowed commands).',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({
        commands: z
          .array(z.string())
          .describe('Commands (コマンド); * stands for names, ** for any arguments'),
        folder: z.string().describe('Where they run (作業フォルダ)'),
        max_seconds: z.number().describe('How long one may take (最大秒数)'),
      }),
      annotations: READ_ONLY,
    },
    () => {
      const commands = allowed.map(textOf);
      return answer({ commands, folder: root, max_seconds: mostSeconds }, commands.join('\n') || NONE.en);
    },
  );

  server.registerTool(
    'run_command',
    {
      title: 'Run a command (コマンドを実行)',
      description:
        'Run one program of the allowed commands, without a shell: no pipes, no variables, no wildcards. ' +
        'コマンドを実行する・テストやビルドを走らせる (run command, execute, test, build). ' +
        `Allowed (許可): ${allowed.map(textOf).join(', ') || 'none'}.`,
      inputSchema: z.strictObject({
        command: z.string().min(1).max(300).describe('Program (プログラム), e.g. npm'),
        args: z
          .array(z.string().max(10_000))
          .max(200)
          .default([])
          .describe('Arguments (引数), e.g. ["test"]'),
        cwd: z.string().max(1000).default('.').describe('Folder inside the workspace (作業フォルダ)'),
        input: z.string().max(1_000_000).default('').describe('Text for its standard input (標準入力)'),
        timeout_seconds: z
          .number()
          .positive()
          .max(mostSeconds)
          .default(mostSeconds)
          .describe(`Longest time in seconds (制限時間), at most ${mostSeconds}`),
      }),
      outputSchema: z.object({
        summary: z.string().describe('The command and how it ended, in a line (結果)'),
        exit_code: z
          .number()
          .int()
          .nullable()
          .optional()
          .describe('Exit code (終了コード); null after a signal'),
        signal: z.string().nullable().optional(),
        stdout: z.string().optional().describe('What it printed (標準出力)'),
        stderr: z.string().optional().describe('Its messages (標準エラー)'),
        truncated: z.boolean().optional().describe('Whether the middle of the output is left out'),
        timed_out: z.boolean().optional(),
        seconds: z.number().optional(),
      }),
      annotations: {
        readOnlyHint: false,
        idempotentHint: false,
        destructiveHint: true,
        openWorldHint: true,
      },
      _meta: { [PREVIEW]: true },
    },
    spoken(async ({ command, args, cwd, input, timeout_seconds }, context) => {
      if (!isAllowed(allowed, command, args)) {
        const list = allowed.map(textOf).join(', ');
        const wanted = [command, ...args].join(' ');
        throw new SaidError({
          en: `"${wanted}" is not allowed. ${list ? `Allowed: ${list}.` : NONE.en}`,
          ja: `「${wanted}」は許可されていません。${list ? `許可済み：${list}。` : NONE.ja}`,
        });
      }
      const folder = await inside(cwd);
      const line = [command, ...args].map(quoted).join(' ');
      const where = cwd === '.' ? '' : ` in ${cwd}`;
      if (isPreview(context)) {
        const summary = `Run ${line}${where}`;
        const preview: Preview = {
          summary:
            languageOf(context) === 'ja'
              ? `${line} を実行します${cwd === '.' ? '' : `（${cwd}）`}。`
              : summary,
        };
        return { ...answer({ summary }, summary), _meta: { [PREVIEW]: preview } };
      }
      const result = await runCommand({
        program: command,
        args,
        cwd: folder,
        env: environment(),
        input,
        timeLimitMs: timeout_seconds * 1000,
        maxOutput: MAX_OUTPUT,
        signal: context.mcpReq.signal,
      });
      const ending = result.timed_out
        ? `timed out after ${timeout_seconds} s`
        : result.exit_code === null
          ? `ended by ${result.signal}`
          : `exit code ${result.exit_code}`;
      const summary = `${line}${where}: ${ending}`;
      const output = [result.stdout, result.stderr].filter((text) => text !== '').join('\n');
      return answer({ summary, ...result }, `${summary}\n${output}`);
    }),
  );
}

const NONE = {
  en: 'No command is allowed yet. Add one to the arguments of this server, e.g. --allow "npm test" or --allow "git diff *".',
  ja: '許可されたコマンドはまだありません。このサーバーの引数に追加してください（例：--allow "npm test"、--allow "git diff *"）。',
};

/**
 * Git takes any folder with a file HEAD and some others for a repository, and runs the programs that its configuration
 * names. The `files` server can write such a folder, so only a repository with a `.git` counts.
 */
const NO_BARE_REPOSITORIES = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
};

function environment(): Record<string, string> {
  const names = [...PASSED_ON, ...(options.env ?? [])];
  const passed = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...NO_BARE_REPOSITORIES, ...Object.fromEntries(passed) };
}

async function inside(cwd: string): Promise<string> {
  const [top, folder] = await Promise.all([
    realpath(root),
    realpath(resolve(root, cwd)).catch(() => {
      throw new SaidError({ en: `There is no folder ${cwd}.`, ja: `フォルダー ${cwd} はありません。` });
    }),
  ]);
  const name = relative(top, folder);
  if (name === '..' || name.startsWith(`..${sep}`) || isAbsolute(name))
    throw new SaidError({
      en: `${cwd} is outside of the folder of this server.`,
      ja: `${cwd} はこのサーバーのフォルダーの外にあります。`,
    });
  return folder;
}

/** As a user would type it, for display only. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
