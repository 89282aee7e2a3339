import type { JsonObject } from '../../../model/json.ts';
import { pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';

const COMMANDS = 'shell.list_commands';
const RUN = 'shell.run_command';
const LONGEST_OUTPUT = 2_000;

/** What people call a command, and how its text shows it. */
const KINDS: readonly (readonly [said: RegExp, command: RegExp])[] = [
  [/テスト|\btests?\b/i, /\btest/i],
  [/ビルド|\bbuild\b/i, /\bbuild\b/i],
  [/リント|静的解析|\blint\b/i, /\blint\b/i],
  [/整形|フォーマット|\bformat\b/i, /\b(?:format|fmt|prettier)\b/i],
  [/型チェック|型検査|\btype-?check\b/i, /\b(?:tsc|typecheck|type-check)\b/i],
];
const RUNS = /実行|走らせ|動かし|回して|\brun\b|\bexecute\b|\bstart\b/i;
const ASKS_COMMANDS =
  /(?:実行できる|使える|許可された|どんな)コマンド|コマンド(?:の)?一覧|\b(?:which|what|allowed) commands\b|\blist (?:the )?(?:allowed )?commands\b/i;

/** Commands of the shipped `shell` server, by their kind or as they are written. */
export const shell: Skill = (request) => {
  if (!request.has(RUN) || !request.has(COMMANDS)) return undefined;
  const { raw, language } = request;
  const isList = ASKS_COMMANDS.test(raw);
  const written = /[`"“「]([^`"”」]+)[`"”」]/u.exec(raw)?.[1];
  const bare = written === undefined ? raw : raw.replace(written, ' ');
  const kind = KINDS.find(([said]) => said.test(bare));
  if (!isList && !(RUNS.test(bare) && (written !== undefined || kind !== undefined))) return undefined;
  const found = resultsOf([{ operation: COMMANDS, args: {} }], request);
  if ('missing' in found) return found.missing;
  const [result] = found.results;
  const commands = Array.isArray(result?.commands) ? result.commands.map(String) : [];
  const list = commands.join(', ') || pick(language, 'なし', 'none');
  if (isList) return { kind: 'answer', text: commands.join('\n') || list };
  if (!request.isOrder) return undefined;
  const fitting = commands.filter((one) => !/[*]/.test(one) && kind?.[1].test(one) === true);
  const question = pick(language, 'どのコマンドを実行しますか？', 'Which command should be run?');
  const chosen = written ?? (fitting.length === 1 ? fitting[0] : request.answerTo('command', question));
  if (chosen === undefined && fitting.length > 1)
    return { kind: 'ask', question, about: 'command', options: fitting };
  if (typeof chosen !== 'string' || /[|&;<>$\\'"]/.test(chosen))
    return {
      kind: 'cannot',
      why: pick(
        language,
        `許可されたコマンドにありません。許可：${list}`,
        `No allowed command does this. Allowed: ${list}`,
      ),
    };
  return run(chosen.trim().split(/\s+/), request);
};

function run([command = '', ...args]: readonly string[], request: Request): SkillMove | undefined {
  const call = { operation: RUN, args: { command, ...(args.length > 0 && { args }) } };
  const found = resultsOf([call], request);
  if ('missing' in found) return found.missing;
  const [ended = {}] = found.results;
  return { kind: 'answer', text: commandText([command, ...args].join(' '), ended, request.language) };
}

/** How a command ended, and what it printed. */
export function commandText(line: string, ended: JsonObject, language: Request['language']): string {
  const { exit_code: code, stdout = '', stderr = '' } = ended;
  const head =
    code === 0
      ? pick(language, `${line} は成功しました（終了コード 0）。`, `${line} succeeded (exit code 0).`)
      : pick(
          language,
          `${line} は失敗しました（終了コード ${String(code)}）。`,
          `${line} failed (exit code ${String(code)}).`,
        );
  const output = [stdout, stderr]
    .map((text) => String(text).trim())
    .filter((text) => text !== '')
    .join('\n');
  const shown = output.length > LONGEST_OUTPUT ? `…${output.slice(-LONGEST_OUTPUT)}` : output;
  return [head, ...(shown === '' ? [] : [shown])].join('\n');
}
