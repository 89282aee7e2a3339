import type { RunState, TaskState } from '../../core/state.ts';
import type { Json } from '../../domain/json.ts';
import { formatted } from './format.ts';
import type { Language } from './goal.ts';
import { isObject } from './schema.ts';

interface Telling {
  readonly state: RunState;
  readonly language: Language;
  readonly result: (task: string) => Json | undefined;
  readonly resultText: (task: string) => string;
}

/** The results of these tasks, in words that are all from the results. */
export function answerFrom(tasks: readonly string[], telling: Telling): string {
  const parts = tasks.map((id) => ({ id, text: told(id, telling) }));
  if (parts.length === 1) return parts[0]?.text ?? '';
  return parts
    .map(({ id, text }) => `${telling.state.tasks.get(id)?.task.operation ?? id}:\n${text}`)
    .join('\n\n');
}

/** Whoever asked about tomorrow must not take today's weather for an answer to that. */
export function leftOverNote(words: readonly string[], language: Language): string {
  if (words.length === 0) return '';
  const shown = [...new Set(words)].slice(0, 5).join(', ');
  return language === 'ja'
    ? `\n（次の言葉は考慮していません: ${shown}）`
    : `\n(Not taken into account: ${shown})`;
}

/** Succeeded tasks whose results no other task has used: what the plan was made for. */
export function lastTasks({ tasks, settings }: RunState): string[] {
  const done = [...tasks.values()].filter(({ status }) => status === 'succeeded');
  const used = new Set(done.flatMap(({ needs, task }) => [...needs, ...(task.after ?? [])]));
  const operations = new Set(done.map(({ task }) => task.operation));
  const isStepping = (operation: string) =>
    settings.order.some(({ before, after }) => before === operation && operations.has(after));
  const last = done.filter(({ task }) => !used.has(task.id) && !isStepping(task.operation));
  return last.map(({ task }) => task.id);
}

/** What failed and why, and what was done all the same. */
export function failureText(telling: Telling): string {
  const { state, language } = telling;
  const all = [...state.tasks.values()];
  const failed = all.filter(({ status }) => status === 'failed').map((task) => failureLine(task, language));
  const blocked = all.filter(({ status }) => status === 'blocked').map(({ task }) => task.operation);
  const done = lastTasks(state);
  const lines = [language === 'ja' ? '目標を達成できませんでした。' : 'The goal was not reached.', ...failed];
  if (blocked.length > 0)
    lines.push(
      language === 'ja'
        ? `そのため実行しなかったもの: ${blocked.join(', ')}`
        : `Not done because of this: ${blocked.join(', ')}`,
    );
  if (done.length > 0) {
    lines.push('', language === 'ja' ? '成功したもの:' : 'What succeeded:');
    lines.push(...done.map((id) => `${state.tasks.get(id)?.task.operation ?? id}:\n${told(id, telling)}`));
  }
  return lines.join('\n');
}

function failureLine({ task, failure }: TaskState, language: Language): string {
  const reason = failure?.message ?? (language === 'ja' ? '理由は不明です' : 'for an unknown reason');
  return language === 'ja'
    ? `${task.operation} が失敗しました: ${reason}`
    : `${task.operation} failed: ${reason}`;
}

function told(id: string, { result, resultText, language }: Telling): string {
  const value = result(id);
  if (value === undefined) return resultText(id).slice(0, 4_000);
  const text = formatted(value, language);
  const note = offlineNote(value, language);
  return note === '' ? text : `${text}\n${note}`;
}

/** A reader must not take made-up or old data for live data. */
function offlineNote(value: Json, language: Language): string {
  const source = isObject(value) ? value.source : undefined;
  if (
    typeof source !== 'string' ||
    !/offline|sample|bundled|built-in|synthetic|demo|オフライン/i.test(source)
  )
    return '';
  return language === 'ja'
    ? '（オフラインのデータです。現在の実測値ではありません）'
    : '(Offline data, not a live reading.)';
}
