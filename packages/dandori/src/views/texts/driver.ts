import type { Settings } from '../../model/settings.ts';
import { languageOf } from '../../model/text.ts';
import type { Effect } from '../../model/tool.ts';

/** Questions and messages of the driver, in the language of the run. */
const ENGLISH = {
  mayCall: (operation: string, effect: Effect) => `May ${operation} (${effect}) be called?`,
  approve: 'Yes, call it',
  reject: 'No, do not',
  mayCarryOut: (count: number, isOutline: boolean) =>
    `May this plan of ${count} ${isOutline ? 'step' : 'task'}${count === 1 ? '' : 's'} be carried out?`,
  mayChange: (reason: string) => `May the plan be changed? ${reason}`,
  mayRepeat: (operations: string) =>
    `The plan repeats calls that have already succeeded: ${operations}. Run them again?`,
  mayCallAgain: (operation: string, effect: Effect, task: string) =>
    `${operation} (${effect}) was already called with exactly these arguments, as ${task}, and succeeded. Call it again?`,
  repeats: (task: string, done: string) => `${task} repeats ${done}, which has already succeeded.`,
  notAgain: (operation: string, task: string) =>
    `It was not called again: ${task} has already called ${operation} with exactly these arguments and succeeded. Its result still stands.`,
  carryOut: 'Yes, carry it out',
  leaveIt: 'No, do not',
  isDone: (operation: string) =>
    `${operation} was called, and nobody knows whether it took effect. Please look, then say what is true.`,
  isDoneUpTo: (operation: string, done: number) =>
    `${operation} was interrupted after ${done} of its calls ${done === 1 ? 'was' : 'were'} done. Please check, then choose how to go on.`,
  isOpenInside: (operation: string, done: number, call: string) =>
    `${operation} was interrupted. ${done === 0 ? 'None' : done} of its calls ${done === 1 ? 'is' : 'are'} known to be done, and it is unknown whether its call of ${call} took effect. Please check, then say what is true.`,
  goOnFrom: (done: number) =>
    `Run it again: ${done === 1 ? 'the call that is done is kept and not made again' : `the ${done} calls that are done are kept and not made again`}`,
  goOnAfter: (call: string) => `${call} took effect: run on after it, without its result`,
  callItAgain: (call: string, done: number) =>
    `${call} did not take effect: run on and make that call again${done === 0 ? '' : ' (what is done is kept)'}`,
  allDone: 'The whole task is done: go on without its result',
  failedAfter: (message: string, done: number, calls: string) =>
    `${message} (${done} of its calls ${done === 1 ? 'was' : 'were'} done before: ${calls})`,
  notCalledAnyMore: (call: string) => `${call} was not called: the task that wanted it is over.`,
  crashedAgain: (operation: string, times: number) =>
    `The process that runs Dandori ended ${times} times while ${operation} was running, and the task got no further. It is not started again.`,
  causes: {
    driver_lost: 'The process that had called it ended before an answer came.',
    timeout: 'It took too long.',
    connection_lost: 'The connection was lost.',
    cancelled: 'It was told to stop.',
    unanswered: 'It ended without a result while a person was asked.',
  },
  happened: 'It happened: go on without its result',
  again: 'It did not happen: call it again',
  giveUp: 'Give this task up',
  done: 'It is done',
  hasAsked: 'It asked a person for input while it ran, and may not have got the answer.',
  unanswered: 'The tool asked a person for input, and ended before an answer came.',
  asksOtherwise: 'It asked for something else before its question was answered.',
  formUnusable: (problem: string) => `It asks, and the schema of its form cannot be used: ${problem}.`,
  asksForEver: (rounds: number) => `It asked for input again after ${rounds} answers, and was given up.`,
  asksForNothing: 'It wants input first, and does not say which.',
  probeMissing: (tool: string) => `It could not be looked for: there is no tool ${tool}.`,
  probeWrites: (tool: string) => `It was not looked for with ${tool}: that is no read.`,
  probeLacks: (tool: string, names: string) =>
    `It could not be looked for with ${tool}: the call has no argument ${names}.`,
  noAnswer: 'An answer was asked for, and none was given',
  noAction: 'No action was given',
  tooSlow: (seconds: number) => `It took longer than ${seconds} s.`,
  didNotStop: 'It was told to stop and did not.',
  notFitting: (operation: string, what: string) =>
    `The filled-in arguments do not fit ${operation}: ${what}. The tool was not called.`,
  secretGone:
    'The arguments hold a secret that is not configured here any more, or has another value now. The tool was not called.',
  unexpected: (expression: string, found: string, result: string) =>
    `The outcome is not as expected: ${expression} gives ${found}. The result was ${result}`,
  misfit: (place: string, problem: string) =>
    `The outcome is not as expected: ${place || 'the result'} ${problem}.`,
  noNext: 'Nothing says what to do next',
  notWritten: (reason: string) => `The result cannot be written down: ${reason}.`,
  tooDeep: (levels: number) => `it is nested more than ${levels} deep`,
};

export type Texts = typeof ENGLISH;

const JAPANESE: Texts = {
  mayCall: (operation, effect) => `${operation} (${EFFECTS[effect]}) を実行してもよいですか？`,
  approve: 'はい、実行する',
  reject: 'いいえ、実行しない',
  mayCarryOut: (count, isOutline) =>
    `この計画 (${isOutline ? 'ステップ' : 'タスク'}${count}個) を実行してもよいですか？`,
  mayChange: (reason) => `計画を次のように変えてもよいですか？ ${reason}`,
  mayRepeat: (operations) =>
    `この計画には、すでに成功した呼び出しが含まれています: ${operations}。もう一度実行しますか？`,
  mayCallAgain: (operation, effect, task) =>
    `${operation} (${EFFECTS[effect]}) は、まったく同じ引数ですでに実行し、成功しています (${task})。もう一度実行しますか？`,
  repeats: (task, done) => `${task} は、すでに成功した ${done} と同じ呼び出しです。`,
  notAgain: (operation, task) =>
    `${operation} は、まったく同じ引数ですでに実行し、成功しています (${task})。もう一度は呼び出していません。結果は ${task} のものをそのまま使えます。`,
  carryOut: 'はい、実行する',
  leaveIt: 'いいえ、実行しない',
  isDone: (operation) =>
    `${operation} を呼び出しましたが、実行されたかどうか分かりません。確かめてから、どうだったかを選んでください。`,
  isDoneUpTo: (operation, done) =>
    `${operation} は、内部の呼び出しを${done}件終えたところで中断しました。確かめてから、続け方を選んでください。`,
  isOpenInside: (operation, done, call) =>
    `${operation} は途中で中断しました。内部の呼び出しのうち完了が確認できているのは${done}件で、${call} が実行されたかどうかは分かりません。確かめてから、どうだったかを選んでください。`,
  goOnFrom: (done) => `もう一度実行する: 完了した${done}件の呼び出しはそのまま残し、繰り返さない`,
  goOnAfter: (call) => `${call} は実行されていた: 結果なしでその続きから実行する`,
  callItAgain: (call, done) =>
    `${call} は実行されていなかった: もう一度呼び出して続ける${done === 0 ? '' : '（完了した分は繰り返さない）'}`,
  allDone: 'タスク全体が済んでいる: 結果なしで先へ進む',
  failedAfter: (message, done, calls) => `${message}（それまでに${done}件の呼び出しが完了: ${calls}）`,
  notCalledAnyMore: (call) => `タスクがすでに終わっているため、${call} は呼び出しませんでした。`,
  crashedAgain: (operation, times) =>
    `${operation} の実行中に Dandori のプロセスが${times}回終了し、タスクが進みませんでした。もう一度は始めません。`,
  causes: {
    driver_lost: '呼び出したプロセスが、応答を受け取る前に終わりました。',
    timeout: '時間がかかりすぎました。',
    connection_lost: '接続が切れました。',
    cancelled: '中止を伝えました。',
    unanswered: '入力を求めている間に、結果を返さずに終わりました。',
  },
  happened: '実行されていた: 結果なしで先へ進む',
  again: '実行されていなかった: もう一度呼び出す',
  giveUp: 'このタスクを取りやめる',
  done: '済ませた',
  hasAsked: '実行中に入力を求めていました。回答は届いていないかもしれません。',
  unanswered: 'ツールは入力を求めましたが、回答を待たずに終わりました。',
  asksOtherwise: '回答を待つ間に、別のことを尋ねました。',
  formUnusable: (problem) => `質問に使われたフォームのスキーマが正しくありません: ${problem}`,
  asksForEver: (rounds) => `${rounds}回答えても入力を求め続けたため、取りやめました。`,
  asksForNothing: '先に入力が必要だと返しましたが、何が必要かを示しませんでした。',
  probeMissing: (tool) => `確かめられませんでした: ツール ${tool} がありません。`,
  probeWrites: (tool) => `${tool} は読み取りではないので、確かめるのに使いませんでした。`,
  probeLacks: (tool, names) => `${tool} で確かめられませんでした: 呼び出しに引数 ${names} がありません。`,
  noAnswer: '答えを求めましたが、返ってきませんでした',
  noAction: '行うことが何も返ってきませんでした',
  tooSlow: (seconds) => `${seconds}秒以内に終わりませんでした。`,
  didNotStop: '中止を伝えましたが、止まりませんでした。',
  notFitting: (operation, what) =>
    `埋め込んだ引数が ${operation} に合いません: ${what}。ツールは呼び出していません。`,
  secretGone:
    '引数に含まれる秘密の値が、現在の設定に見つかりません(削除または変更された可能性があります)。ツールは呼び出していません。',
  unexpected: (expression, found, result) =>
    `結果が期待と違います: ${expression} は ${found} です。結果: ${result}`,
  misfit: (place, problem) => `結果が期待と違います: ${place || '結果全体'}: ${problem}。`,
  noNext: '次に何をするかが書かれていません',
  notWritten: (reason) => `結果を記録できません: ${reason}。`,
  tooDeep: (levels) => `入れ子が${levels}段より深くなっています`,
};

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: '読み取り',
  idempotent: '繰り返しても同じ書き込み',
  write: '書き込み',
  destructive: '破壊的な変更',
};

export function textsOf(run: { readonly goal: string; readonly settings: Settings }): Texts {
  return languageOf(run) === 'ja' ? JAPANESE : ENGLISH;
}
