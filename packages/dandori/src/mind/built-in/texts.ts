import { isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import type { Diagnostic } from '../../model/plan.ts';
import { clip, displayWidth, type Language } from '../../model/text.ts';
import { meaningOf, stem } from '../../search/dictionary.ts';
import { runTextsIn } from '../../views/texts/of-run.ts';
import type { Thought } from '../mind.ts';
import type { Need } from './arguments.ts';
import type { Problem } from './chain.ts';
import { spaced } from './goal.ts';
import { jsonIn } from './properties.ts';
import { commandText } from './skills/shell.ts';
import { pick } from './skills/skill.ts';

export function parameterQuestion(
  { card, parameter: { name, description } }: Need,
  language: Language,
): string {
  const tool = card.tool.name;
  const question = pick(language, `${tool} の「${name}」を入力してください。`, `${tool} needs "${name}".`);
  return [question, shortDescription(description)].filter(Boolean).join(' ');
}

/** The question as old versions wrote it. Their journals do not say what it was about, so its answer is found by it. */
export function formerQuestionText(
  { card, parameter: { name, description } }: Need,
  language: Language,
): string {
  const tool = card.tool.name;
  const question = pick(
    language,
    `${tool} に渡す「${name}」は何ですか？`,
    `What should ${tool} use as "${name}"?`,
  );
  return description === '' ? question : `${question} (${shortDescription(description)})`;
}

function shortDescription(description: string): string {
  return description.replace(/\s+/g, ' ').slice(0, 100);
}

type Telling = Pick<Thought, 'state' | 'result' | 'resultText'> & { readonly language: Language };

/** The results of these tasks as text, with nothing added. */
export function resultsText(tasks: readonly string[], telling: Telling): string {
  return tasks.map((id) => (tasks.length === 1 ? told(id, telling) : titled(id, telling))).join('\n\n');
}

/** A tool without a result has still done its work, and an empty answer would not say so. */
function told(task: string, { state, result, resultText, language }: Telling): string {
  const value = result(task);
  const { operation = task, args: { command = '', args = [] } = {} } = state.tasks.get(task)?.task ?? {};
  if (operation === 'shell.run_command' && isObject(value)) {
    const parts = [command, ...(Array.isArray(args) ? args : [])];
    return commandText(parts.map(String).join(' '), value, language);
  }
  const text = value === undefined ? resultText(task).slice(0, 4_000) : formatted(value, language);
  if (text.trim() !== '') return text;
  return pick(language, `${operation} を実行しました。`, `${operation}: done.`);
}

function titled(task: string, telling: Telling): string {
  return `${telling.state.tasks.get(task)?.task.operation}:\n${told(task, telling)}`;
}

/** Names the words of the goal that were ignored: today's weather is no answer about tomorrow. */
export function leftOverText(parts: readonly string[], language: Language): string {
  const shown = [...new Set(parts)].slice(0, 5).join(', ');
  if (shown === '') return '';
  return pick(language, `\n（考慮していない語句：${shown}）`, `\n(Ignored: ${shown})`);
}

/** What failed and why, then the results of what succeeded. */
export function failureText(done: readonly string[], telling: Telling): string {
  const { state, language } = telling;
  const lines: string[] = [];
  for (const { status, task, failure } of state.tasks.values()) {
    const refused = REFUSED[failure?.code ?? ''];
    if (status === 'failed' && refused !== undefined)
      lines.push(
        `${pick(language, ...refused)}${pick(language, `（${task.operation}）。`, ` (${task.operation}).`)}`,
      );
    else if (status === 'failed')
      lines.push(
        pick(
          language,
          `${task.operation} が失敗しました：${failure?.message ?? '?'}`,
          `${task.operation} failed: ${failure?.message ?? '?'}`,
        ),
      );
    if (status === 'blocked')
      lines.push(pick(language, `${task.operation} は実行していません。`, `${task.operation} was not run.`));
  }
  const isRefused = [...state.tasks.values()].some(
    ({ failure }) => REFUSED[failure?.code ?? ''] !== undefined,
  );
  const head = isRefused ? [] : [runTextsIn(language).notReached];
  return [...head, ...lines, ...done.map((id) => `\n${titled(id, telling)}`)].join('\n');
}

/** The user said no. That is no fault of the tool. */
const REFUSED: Readonly<Record<string, readonly [japanese: string, english: string]>> = {
  declined: ['何も選ばれなかったため、実行していません', 'Nothing was chosen, so it was not done'],
  not_approved: ['承認されなかったため、実行していません', 'It was not approved, so it was not done'],
};

/** A value for a schema takes a language model. */
export function noOutputText(language: Language): string {
  return pick(
    language,
    '内蔵プランナーは、スキーマに合う値（`output`）を返せません。言語モデルを設定してください：`dandori init`',
    "The built-in planner can't give a value that fits a schema (`output`). Configure a language model: `dandori init`",
  );
}

/** Says that the built-in planner can't plan the goal, and how to add a language model. */
export function declineText(thought: Thought, problems: readonly Problem[], language: Language): string {
  const { tools, missing } = thought;
  const names = [...tools.values()].filter((tool) => !isOwnTool(tool)).map(({ name }) => name);
  const known = names.slice(0, 8).join(', ') + (names.length > 8 ? ', …' : '');
  const gone = missing.map(({ server, reason }) => `${server} (${reason})`).join(', ');
  const lines = [
    pick(
      language,
      '内蔵プランナーでは、この目標を計画できません。',
      "The built-in planner can't plan this goal.",
    ),
    ...problems.slice(0, 3).map((problem) => problemText(problem, language)),
    pick(
      language,
      '\n言語モデルを追加：次の行を dandori.yaml に書いてください（`dandori init` で説明付きのファイルを作成できます）。\n',
      '\nAdd a language model: put these lines into dandori.yaml (`dandori init` creates a commented file).\n',
    ),
    'model:\n  provider: openai\n  name: gpt-5-mini\n  api_key_env: OPENAI_API_KEY\n',
    known === ''
      ? pick(language, '利用できるツールはありません。', 'No tools are available.')
      : pick(language, `利用できるツール：${known}`, `Available tools: ${known}`),
    ...(gone === '' ? [] : [pick(language, `利用できないサーバー：${gone}`, `Unavailable servers: ${gone}`)]),
  ];
  return lines.join('\n');
}

function problemText({ card, parameter: { name }, choices }: Problem, language: Language): string {
  const [tool, shown] = [card.tool.name, choices.join(', ')];
  return shown === ''
    ? pick(
        language,
        `${tool} の「${name}」が目標に含まれていません。`,
        `${tool} needs "${name}", which the goal doesn't contain.`,
      )
    : pick(language, `${tool} の「${name}」の候補：${shown}`, `${tool} needs "${name}", one of: ${shown}`);
}

/** The built-in planner has no second plan for the same goal. */
export function vetoedText(reason: string, language: Language): string {
  const { planNotApproved, withReason } = runTextsIn(language);
  return withReason(planNotApproved, reason);
}

/** The compiler would refuse the same plan again. */
export function refusedText(diagnostics: readonly Diagnostic[], language: Language): string {
  const first = runTextsIn(language).planInvalid;
  return [first, ...diagnostics.slice(0, 5).map(({ message }) => `- ${message}`)].join('\n');
}

const LONGEST = 6_000;
const MOST_ROWS = 20;
const MOST_COLUMNS = 10;
const WIDEST_CELL = 40;

/** A result in readable form, with nothing added. */
function formatted(result: Json, language: Language): string {
  const text = block((typeof result === 'string' ? jsonIn(result) : undefined) ?? result, language, 0);
  return clip(text, LONGEST);
}

function block(value: Json, language: Language, depth: number): string {
  if (Array.isArray(value)) return list(value, language);
  if (!isObject(value)) return cell(value);
  if (depth > 3) return stringifyJson(value);
  const fields = telling(withNamedRows(value), language);
  if (fields.length === 1) return block(fields[0]?.[1] ?? null, language, depth + 1);
  return fields
    .map(([key, item]) => field(label(key, language), block(item, language, depth + 1)))
    .join('\n');
}

/** Fields with content: not empty, and not in the other language. */
function telling(value: JsonObject, language: Language): [string, Json][] {
  return Object.entries(value).filter(([key, item]) => {
    const other = language === 'ja' ? `${key}_ja` : key.replace(/_ja$/, '');
    return item !== null && item !== '' && (other === key || !Object.hasOwn(value, other));
  });
}

/** `columns` and `rows` together are one table. */
function withNamedRows(value: JsonObject): JsonObject {
  const { columns, rows, ...others } = value;
  if (!Array.isArray(columns) || !Array.isArray(rows)) return value;
  const named = rows.map((row) =>
    Array.isArray(row) ? Object.fromEntries(row.map((item, index) => [cell(columns[index]), item])) : row,
  );
  return { rows: named, ...others };
}

function field(name: string, text: string): string {
  return text.includes('\n') ? `${name}:\n${text.replace(/^/gm, '  ')}` : `${name}: ${text}`;
}

/** Objects as an aligned table. Anything else is written one per line. */
function list(items: readonly Json[], language: Language): string {
  if (items.length === 0) return language === 'ja' ? '（なし）' : '(none)';
  const shown = items.slice(0, MOST_ROWS);
  const rest = items.length - shown.length;
  const more = rest === 0 ? [] : [language === 'ja' ? `… ほか ${rest} 件` : `… and ${rest} more`];
  if (!shown.every((item) => isObject(item)))
    return [...shown.map((item) => `- ${cell(item)}`), ...more].join('\n');
  const columns = [...new Set(shown.flatMap(Object.keys))].slice(0, MOST_COLUMNS);
  const rows = [columns, ...shown.map((row) => columns.map((column) => shortened(cell(row[column]))))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))));
  const lines = rows.map((row) =>
    row.map((text, index) => text + ' '.repeat((widths[index] ?? 0) - displayWidth(text))),
  );
  const rule = widths.map((count) => '-'.repeat(count));
  const [head = [], ...body] = lines;
  return [...[head, rule, ...body].map((line) => line.join('  ').trimEnd()), ...more].join('\n');
}

function cell(value: Json = null): string {
  return typeof value === 'string' ? value : value === null ? '' : stringifyJson(value);
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= WIDEST_CELL ? line : clip(line, WIDEST_CELL - 1);
}

const UNITS: Readonly<Record<string, string>> = { c: '°C', f: '°F', kmh: 'km/h', percent: '%' };

/** `temperature_c` becomes "temperature (°C)", and 気温 (°C) if the dictionary has the word. */
function label(key: string, language: Language): string {
  const [, name = '', unit] = /^(.*?)(?: (c|f|kmh|percent))?$/.exec(spaced(key.replace(/_ja$/, ''))) ?? [];
  const meaning = meaningOf(stem(name)) ?? meaningOf(stem(name.replaceAll(' ', '')));
  const shown = (language === 'ja' ? meaning?.japanese : undefined) ?? name;
  return `${shown}${unit === undefined ? '' : ` (${UNITS[unit]})`}`;
}
