import type { Language } from '../../core/language.ts';
import { isOwnTool } from '../../core/own-tools.ts';
import type { Diagnostic } from '../../domain/diagnostic.ts';
import type { Thought } from '../../ports/mind.ts';
import type { Need } from './argument.ts';
import type { Problem } from './chain.ts';
import { formatted } from './format.ts';

export function say(language: Language, japanese: string, english: string): string {
  return language === 'ja' ? japanese : english;
}

/** Also how an answer is found again: the same tool and parameter always give the same question. */
export function questionText({ card, parameter: { name, description } }: Need, language: Language): string {
  const tool = card.tool.name;
  const question = say(
    language,
    `${tool} に渡す「${name}」は何ですか？`,
    `What should ${tool} use as "${name}"?`,
  );
  return description === '' ? question : `${question} (${description.replace(/\s+/g, ' ').slice(0, 100)})`;
}

export type Telling = Pick<Thought, 'state' | 'result' | 'resultText'> & { readonly language: Language };

/** The results of these tasks, in words that are all from the results. */
export function answerText(tasks: readonly string[], telling: Telling): string {
  return tasks.map((id) => (tasks.length === 1 ? told(id, telling) : titled(id, telling))).join('\n\n');
}

/** A tool that brings nothing back has still done what it was called for, and an empty answer would not say so. */
function told(task: string, { state, result, resultText, language }: Telling): string {
  const value = result(task);
  const text = value === undefined ? resultText(task).slice(0, 4_000) : formatted(value, language);
  if (text.trim() !== '') return text;
  const operation = state.tasks.get(task)?.task.operation ?? task;
  return say(language, `${operation} を実行しました。`, `${operation} is done.`);
}

function titled(task: string, telling: Telling): string {
  return `${telling.state.tasks.get(task)?.task.operation}:\n${told(task, telling)}`;
}

/** Whoever asked about tomorrow must not take today's weather for an answer to that. */
export function leftOverText(parts: readonly string[], language: Language): string {
  const shown = [...new Set(parts)].slice(0, 5).join(', ');
  if (shown === '') return '';
  return say(language, `\n（次の言葉は考慮していません: ${shown}）`, `\n(Not taken into account: ${shown})`);
}

/** What failed and why, and what was done all the same. */
export function failureText(done: readonly string[], telling: Telling): string {
  const { state, language } = telling;
  const lines = [say(language, '目標を達成できませんでした。', 'The goal was not reached.')];
  for (const { status, task, failure } of state.tasks.values()) {
    if (status === 'failed')
      lines.push(
        `${task.operation} ${say(language, 'が失敗しました', 'failed')}: ${failure?.message ?? '?'}`,
      );
    if (status === 'blocked')
      lines.push(`${task.operation} ${say(language, 'は実行しませんでした。', 'was not done.')}`);
  }
  return [...lines, ...done.map((id) => `\n${titled(id, telling)}`)].join('\n');
}

/** Says plainly that this is beyond the built-in planner, and how to go on. */
export function declineText(thought: Thought, problems: readonly Problem[], language: Language): string {
  const { tools, missing } = thought;
  const names = [...tools.values()].filter((tool) => !isOwnTool(tool)).map(({ name }) => name);
  const known = names.slice(0, 8).join(', ') + (names.length > 8 ? ', …' : '');
  const gone = missing.map(({ server, reason }) => `${server} (${reason})`).join(', ');
  const lines = [
    say(
      language,
      'この目標には言語モデルが必要です。今は言語モデルなしの組み込みプランナーで動いています。',
      'This goal needs a language model. Without one, the built-in planner is at work, and it found no plan.',
    ),
    ...problems.slice(0, 3).map((problem) => problemText(problem, language)),
    say(
      language,
      '\ndandori.yaml に次の4行を書いてください（`dandori init` が説明付きのファイルを作ります）:\n',
      '\nPut these lines into dandori.yaml (`dandori init` writes a file with comments):\n',
    ),
    'model:\n  provider: openai\n  name: gpt-5-mini\n  api_key_env: OPENAI_API_KEY\n',
    known === ''
      ? say(language, '使える道具はありません。', 'There are no tools.')
      : `${say(language, '使える道具', 'Known tools')}: ${known}`,
    ...(gone === '' ? [] : [`${say(language, '今は使えないもの', 'Not available now')}: ${gone}`]),
  ];
  return lines.join('\n');
}

function problemText({ card, parameter: { name }, choices }: Problem, language: Language): string {
  const [tool, shown] = [card.tool.name, choices.join(', ')];
  return shown === ''
    ? say(
        language,
        `${tool} の「${name}」が目標にありません。`,
        `${tool} needs "${name}", which the goal lacks.`,
      )
    : say(
        language,
        `${tool} の「${name}」の候補: ${shown}`,
        `${tool} needs one "${name}" of these: ${shown}`,
      );
}

/** It knows no other plan for the same goal. */
export function vetoedText(reason: string, language: Language): string {
  const first = say(language, '計画は承認されませんでした。', 'The plan was not approved.');
  return reason === '' ? first : `${first} ${reason}`;
}

/** A plan of ours that the compiler refused would be refused again. */
export function refusedText(diagnostics: readonly Diagnostic[], language: Language): string {
  const first = say(language, '計画が検査に通りませんでした。', 'The plan did not pass the check.');
  return [first, ...diagnostics.slice(0, 5).map(({ message }) => `- ${message}`)].join('\n');
}
