import { languageOf } from '../core/language.ts';
import type { Effect } from '../domain/effect.ts';
import type { Settings } from '../domain/settings.ts';

/** What the engine asks and says, in the language of the run. */
const ENGLISH = {
  mayCall: (operation: string, effect: Effect) => `May ${operation} (${effect}) be called?`,
  approve: 'Yes, call it',
  reject: 'No, do not',
  mayCarryOut: (count: number, isOutline: boolean) =>
    `May this plan of ${count} ${isOutline ? 'step' : 'task'}${count === 1 ? '' : 's'} be carried out?`,
  mayChange: (reason: string) => `May the plan be changed? ${reason}`,
  carryOut: 'Yes, carry it out',
  leaveIt: 'No, do not',
  isDone: (operation: string) =>
    `${operation} was called, and nobody knows whether it took effect. Please look, then say what is true.`,
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
  carryOut: 'はい、実行する',
  leaveIt: 'いいえ、実行しない',
  isDone: (operation) =>
    `${operation} を呼び出しましたが、実行されたかどうか分かりません。確かめてから、どうだったかを選んでください。`,
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
