import type { Settings } from '../../model/settings.ts';
import { languageOf } from '../../model/text.ts';
import type { TaskStatus } from '../../run/state/state.ts';

/** Texts of the core about a run, in the language of the run. */
const ENGLISH = {
  notReached: 'The goal was not reached.',
  planInvalid: 'The given plan is not valid.',
  noPlan: (tries: number) => `No valid plan was made in ${tries} tries.`,
  notApproved: (operation: string) => `A person did not approve ${operation}.`,
  withReason: (what: string, why = '') => (why === '' ? what : `${what} ${why}`),
  planNotApproved: 'A person did not approve the plan.',
  declined: (operation: string) => `A person was asked about ${operation} and declined.`,
  expired: (question: string) => `Nobody answered in time: ${question}`,
  notReplaced: (operation: string, problems: string) =>
    `What was chosen in place of ${operation} cannot be done: ${problems}`,
  replaced: (operation: string, choice: string) =>
    `A person chose what is done in place of ${operation}: ${choice}`,
  overtaken: (operation: string, task: string, by: string) =>
    `The answer makes ${operation} touch what ${task} (${by}) has already touched, although ${task} is written later. It was not called, so that nothing happens out of order.`,
  stepGivenUp: 'The mind gave this step up.',
  givenUp: (operation: string) => `Nobody knows whether ${operation} took effect; it was given up.`,
  inDoubt: 'was called, and nobody knows whether it took effect',
  notDone: 'not done',
  ended: (status: TaskStatus): string => status,
  stepsReached: (count: number) =>
    `the limit of ${count} ${count === 1 ? 'step' : 'steps'} (execution.max_steps) is reached`,
  callsReached: (count: number) => `the limit of ${count} model calls (execution.max_model_calls) is reached`,
  costReached: (dollars: number | undefined) => `the limit of $${dollars} (execution.max_cost) is reached`,
  timeReached: (seconds: number) => `the limit of ${seconds} s (execution.max_time) is reached`,
  tasksReached: (count: number) => `the limit of ${count} tasks (planning.max_subtasks) is reached`,
  tokensReached: (count: number | undefined) =>
    `the limit of ${count} tokens (execution.max_tokens) is reached`,
  revisionsReached: (count: number | undefined) =>
    `the limit of ${count} revisions (planning.revision.max_revisions) is reached`,
  inCircles: 'the run went in circles: it was told so once and did the same again',
  insisted:
    'the run went in circles: it was told that these calls have already succeeded and proposed them again',
  unjudged: 'The answer does not say whether the success criteria are met.',
  unmet: (criteria: string) => `Not met: ${criteria}`,
  soFar: 'Results so far:',
  stepDone: (name: string, done: number, total: number) =>
    `${name}: done, ${done} of ${total} ${total === 1 ? 'task' : 'tasks'}.`,
  stepFailed: (name: string, done: number, total: number) =>
    `${name}: failed; ${done} of ${total} ${total === 1 ? 'task' : 'tasks'} done.`,
  because: (causes: string) => `Why: ${causes}.`,
  next: (steps: string) => `Next: ${steps}.`,
};

const JAPANESE: typeof ENGLISH = {
  notReached: '目標を達成できませんでした。',
  planInvalid: '渡された計画に誤りがあります。',
  noPlan: (tries) => `${tries}回試しましたが、正しい計画を作れませんでした。`,
  notApproved: (operation) => `${operation} の実行は承認されませんでした。`,
  withReason: (what, why = '') => (why === '' ? what : `${what}理由: ${why}`),
  planNotApproved: '計画は承認されませんでした。',
  declined: (operation) => `${operation} についての質問は断られました。`,
  expired: (question) => `期限までに回答がありませんでした: ${question}`,
  notReplaced: (operation, problems) => `${operation} の代わりに選ばれたことは実行できません: ${problems}`,
  replaced: (operation, choice) => `${operation} の代わりに行うことが選ばれました: ${choice}`,
  overtaken: (operation, task, by) =>
    `回答により ${operation} の対象が変わりましたが、後に書かれた ${task}（${by}）がすでに同じ対象を使っています。順序を守るため、呼び出しませんでした。`,
  stepGivenUp: 'このステップは取りやめになりました。',
  givenUp: (operation) => `${operation} が実行されたかどうか分からないまま、取りやめました。`,
  inDoubt: '呼び出しましたが、実行されたかどうか分かりません',
  notDone: '実行していません',
  ended: (status) => (status === 'failed' ? '失敗' : status === 'blocked' ? '必要なタスクが失敗' : status),
  stepsReached: (count) => `ステップ数の上限(execution.max_steps: ${count})に達しました`,
  callsReached: (count) => `モデル呼び出しの上限(execution.max_model_calls: ${count})に達しました`,
  costReached: (dollars) => `費用の上限(execution.max_cost: $${dollars})に達しました`,
  timeReached: (seconds) => `時間の上限(execution.max_time: ${seconds}秒)に達しました`,
  tasksReached: (count) => `タスク数の上限(planning.max_subtasks: ${count})に達しました`,
  tokensReached: (count) => `トークン数の上限(execution.max_tokens: ${count})に達しました`,
  revisionsReached: (count) => `計画の修正回数の上限(planning.revision.max_revisions: ${count})に達しました`,
  inCircles: '同じことの繰り返しになりました。一度知らせましたが、変わりませんでした',
  insisted:
    '同じことの繰り返しになりました。すでに成功した呼び出しだと知らせましたが、もう一度行おうとしました',
  unjudged: '成功条件を満たしているかどうかが、回答に書かれていません。',
  unmet: (criteria) => `満たしていない条件: ${criteria}`,
  soFar: 'ここまでの結果:',
  stepDone: (name, done, total) => `${name}: 完了(タスク${total}件中${done}件)。`,
  stepFailed: (name, done, total) => `${name}: 失敗(タスク${total}件中${done}件は完了)。`,
  because: (causes) => `原因: ${causes}。`,
  next: (steps) => `次: ${steps}。`,
};

export function textsOf(run: { readonly goal: string; readonly settings: Settings }): typeof ENGLISH {
  return languageOf(run) === 'ja' ? JAPANESE : ENGLISH;
}
