import type { RunTexts } from '../en/run.ts';
import { labels } from './labels.ts';
import { problems } from './problems.ts';
import { words } from './words.ts';

const reached = (what: string, key: string) => `上限に達しました：${what}（${key}）`;

export const run: RunTexts = {
  notReached: '目標を達成できませんでした。',
  isDone: (what: string) => `${what}：完了`,
  planInvalid: problems.errors['plan-invalid'][0],
  noPlan: (tries) => `${tries} 回試しましたが、計画を作成できませんでした。`,
  notApproved: (operation) => `${operation} は却下されました。`,
  withReason: (what, why = '') => (why === '' ? what : `${what}理由：${why}`),
  planNotApproved: '計画は却下されました。',
  declined: (operation) => `${operation} についての質問は「回答しない」が選ばれました。`,
  expired: (question) => `回答期限を過ぎました：${question}`,
  notReplaced: (operation, problems) => `${operation} の代わりの選択に問題があります：${problems}`,
  replaced: (operation, choice) => `ユーザーが ${operation} の代わりに選択しました：${choice}`,
  overtaken: (operation, task, by) =>
    `この回答では、後のタスク ${task}（${by}）が使用済みのリソースを ${operation} が使います。順序を守るため、呼び出していません。`,
  stepGivenUp: 'モデルがこのステップを取りやめました。',
  givenUp: (operation) => `${operation} を取りやめました。反映されたかどうかは不明です。`,
  inDoubt: words.statuses.in_doubt,
  notDone: '未実行',
  standing: (task, status) => `${task}：${status}`,
  ended: (status) => words.statuses[status],
  stepsReached: (count) => reached(labels.stepCount(count), 'execution.max_steps'),
  callsReached: (count) => reached(labels.modelCallCount(count), 'execution.max_model_calls'),
  costReached: (dollars) => reached(`$${dollars}`, 'execution.max_cost'),
  timeReached: (seconds) => reached(`${seconds} 秒`, 'execution.max_time'),
  tasksReached: (count) => reached(labels.taskCount(count), 'planning.max_subtasks'),
  tokensReached: (count = 0) => reached(`${count} トークン`, 'execution.max_tokens'),
  revisionsReached: (count = 0) => reached(`計画の修正 ${count} 回`, 'planning.revision.max_revisions'),
  inCircles: '上限に達しました：ループ。モデルに通知しましたが、同じ呼び出しを繰り返しました',
  insisted: '上限に達しました：ループ。モデルが成功済みの呼び出しを再び提案しました',
  unjudged: '成功条件を満たすかどうかが、回答に示されていません。',
  unmet: (criteria) => `満たしていない条件：${criteria}`,
  taskFailed: 'タスクが失敗しました。',
  soFar: '最終回答は作成されませんでした。ここまでの結果（ツールの出力のまま）：',
  stepDone: (name, done, total) => `${name}：完了（${labels.tasksOf(done, total)}）。`,
  stepFailed: (name, done, total) => `${name}：失敗（${labels.tasksOf(done, total)}完了）。`,
  because: (causes) => (/[.!?。]$/.test(causes) ? causes : `${causes}。`),
  next: (steps) => `次：${steps}。`,
  chose: (label) => `選択：${label}`,
  refused: '回答しないことにしました。',
  stillOpen: (questions) => `まだ回答待ちです：${questions}`,
  openQuestion: (question, goal) => `\n- ${question}（${goal}）`,
  runAgain: labels.runAgain,
};
