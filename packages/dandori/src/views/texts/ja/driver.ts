import type { DriverTexts, QuestionTexts } from '../en/driver.ts';
import { labels } from './labels.ts';
import { words } from './words.ts';

const { answers, effects, statuses } = words;
const sentence = (text: string) => (/[。．.!?！？]$/.test(text) ? text : `${text}。`);
const KEPT = '完了した呼び出しは繰り返しません';

export const questions: QuestionTexts = {
  mayCall: (operation, effect, summary) =>
    summary === undefined
      ? `${operation}${operation.endsWith('）') ? '' : ' '}を承認しますか？（${effects[effect]}）`
      : `${sentence(summary)}承認しますか？（${operation}、${effects[effect]}）`,
  titled: (title, operation) => `「${title}」（${operation}）`,
  mayAnswer: (answer) =>
    answer === undefined ? '「回答しない」を選びますか？' : `「${answer}」と回答しますか？`,
  mayGoOn: (number, name) => `ステップ ${number} に進みますか？ ${name}`,
  approve: answers.approve,
  approveForRun: 'この実行では常に承認',
  allowOnce: '今回だけ承認',
  allowListed: (count) => `表示した呼び出し ${count} 件を承認`,
  allowPattern: (values) => `この実行では ${values} なら承認`,
  allowTool: 'この実行では承認',
  refuse: '却下して続行',
  refuseSimilar: (count) => `このツールの呼び出し ${count} 件をすべて却下`,
  stopRun: answers.cancelRun,
  approveCallAlways: '同じ引数なら今後も承認',
  approveToolAlways: 'このツールは今後も承認',
  reject: answers.reject,
  mayCarryOut: (count, isOutline) =>
    isOutline
      ? `この計画を承認しますか？（${labels.stepCount(count)}） タスクは各ステップの開始時に計画します。`
      : `この計画を承認しますか？（${labels.taskCount(count)}）`,
  mayChange: (reason) => `計画の修正を承認しますか？ ${reason}`,
  mayRepeat: (operations) => `この計画を承認しますか？ 成功済みの呼び出しを繰り返します：${operations}`,
  mayCallAgain: (operation, effect, task) =>
    `${operation} の再実行を承認しますか？（${effects[effect]}） ${task} が同じ呼び出しに成功しています。`,
  isDone: (operation, cause) => `${operation} は反映されましたか？ ${cause}確認して選んでください。`,
  isDoneUpTo: (operation, done) =>
    `${operation} をどのように続けますか？ 内部の呼び出し ${done} 回の完了後に中断しました。確認して選んでください。`,
  isOpenInside: (operation, done, call) =>
    `${call} は反映されましたか？ ${operation} はこの呼び出し中に中断しました（完了 ${done} 回）。確認して選んでください。`,
  goOnFrom: () => `もう一度実行：${KEPT}`,
  goOnAfter: (call) => `反映済み：${call} の結果なしで続行`,
  callItAgain: (call, done) => `未反映：${call} を再度呼び出し${done === 0 ? '' : `（${KEPT}）`}`,
  allDone: 'タスク全体が完了：結果なしで続行',
  causes: {
    driver_lost: '呼び出し中に Dandori のプロセスが終了しました。',
    timeout: 'タイムアウトしました。',
    connection_lost: '接続が切れました。',
    cancelled: '呼び出しを中止しました。',
    unanswered: '質問への回答を待つ間に、呼び出しが終了しました。',
  },
  reasons: {
    asked: (goal) => `目標「${goal}」のため。`,
    fits: (operation) => `目標の言葉に合うツールです：${operation}`,
    neededBy: (operation) => `${operation} の前に必要です。`,
    missing: (name) => `「${name}」が不足しています。`,
  },
  happened: '反映済み：結果なしで続行',
  again: '未反映：再度呼び出し',
  giveUp: 'タスクを取りやめ',
  done: statuses.completed,
};

export const driver: DriverTexts = {
  ...questions,
  notAllowed: (operation, rule) =>
    `trust.rules のルール ${rule} により、${operation} は呼び出されませんでした。`,
  previewUnusable: 'ツールから利用できるプレビューが返りませんでした。',
  repeats: (task, done) => `${task} は、成功済みの ${done} と同じ呼び出しです。`,
  notAgain: (operation, task) =>
    `${task} が同じ引数で ${operation} を呼び出して成功しているため、呼び出していません。${task} の結果を使ってください。`,
  failedAfter: (message, done, calls) => `${message}（完了済みの呼び出し ${done} 回：${calls}）`,
  notCalledAnyMore: (call) => `タスクがすでに終了しているため、${call} を呼び出しませんでした。`,
  crashedAgain: (operation, times) =>
    `${operation} の実行中に Dandori のプロセスが ${times} 回終了しました。タスクは再開しません。`,
  hasAsked: 'ツールは実行中に質問しました。回答を受け取っていない可能性があります。',
  unanswered: 'ツールは質問しましたが、回答を待たずに終了しました。',
  asksOtherwise: 'ツールは回答の前に別の質問をしました。',
  formUnusable: (problem) => `ツールの質問のフォームを使用できません：${problem}`,
  asksForEver: (rounds) => `${rounds} 回の回答後も質問が続いたため、呼び出しを取りやめました。`,
  asksForNothing: 'ツールは入力を求めましたが、必要な項目を示しませんでした。',
  probeMissing: (tool) => `結果を確認できません：ツール ${tool} がありません。`,
  probeWrites: (tool) => `結果を確認できません：${tool} は読み取りではありません。`,
  probeLacks: (tool, names) => `${tool} で結果を確認できません：呼び出しに引数 ${names} がありません。`,
  probeUnclear: (found) => `結果を確認できません：settled_when の値は ${found} です。`,
  callBroke: (reason) => `呼び出しに失敗しました：${reason}`,
  callStopped: (call) => `${call} は実行中に停止されました。反映されたかどうかは不明です。`,
  mindBroke: (reason) => `モデルの呼び出しに失敗しました：${reason}`,
  mindBrokeContract: (problem) => `モデルが無効な値を返しました：${problem}`,
  mindStopped: '判断が中止されました。',
  notCalled: (call) => `${call} は呼び出していません。先に実行が中止されました。`,
  underWay: (call) => `${call} は同じキーですでに実行中です。`,
  noAnswer: 'モデルが最終回答を返しませんでした',
  noAction: 'モデルがアクションを返しませんでした',
  noNext: 'モデルが次のアクションを示しませんでした',
  tooSlow: (seconds) => `${seconds} 秒でタイムアウトしました。`,
  didNotStop: '呼び出しが中止に応じませんでした。',
  notFitting: (operation, what) =>
    `${operation} の引数が正しくありません：${what}。ツールは呼び出していません。`,
  secretGone: '引数に含まれるシークレットが設定にないか、変更されています。ツールは呼び出していません。',
  unexpected: (expression, found, result) =>
    `想定外の結果です：${expression} は ${found} です。結果：${result}`,
  misfit: (place, problem) => `想定外の結果です：${place || labels.result}：${problem}。`,
  notWritten: (reason) => `結果を保存できません：${reason}。`,
  tooDeep: (levels) => `入れ子が ${levels} 段を超えています`,
};
