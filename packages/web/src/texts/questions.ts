import type { Question } from '#dandori/model/question.ts';
import type { Texts } from '../shell/language.tsx';

interface QuestionTexts {
  readonly title: (count: number | bigint) => string;
  readonly kinds: Readonly<Record<Question['kind'], string>>;
  readonly answer: string;
  readonly yourAnswer: string;
  readonly decline: string;
  readonly comment: string;
  readonly addComment: string;
  readonly reason: string;
  readonly reject: string;
  readonly approve: string;
  readonly edit: string;
  readonly approveProposed: string;
  readonly hasDraft: string;
  readonly back: string;
  readonly open: (host: string) => string;
  readonly notOpened: string;
  readonly expiresIn: (time: string) => string;
  readonly expired: string;
  readonly byDefault: (value: string) => string;
  readonly mayAnswer: (users: string) => string;
  readonly blocks: (ids: string) => string;
  readonly blocksRun: string;
  readonly held: string;
  readonly past: string;
  readonly ownAnswer: string;
  readonly does: (calls: string) => string;
  readonly context: {
    readonly call: string;
    readonly args: string;
    readonly noArgs: string;
    readonly effect: string;
    readonly attempt: string;
    readonly input: string;
    readonly probe: string;
    readonly done: string;
    readonly open: string;
    readonly why: string;
    readonly objective: string;
    readonly wholePlan: string;
    readonly tasks: (count: number | bigint) => string;
    readonly notes: string;
    readonly problems: string;
    readonly other: string;
  };
  readonly form: {
    readonly needed: string;
    readonly optional: string;
    readonly leaveOut: string;
    readonly yes: string;
    readonly no: string;
    readonly json: string;
    readonly list: string;
    readonly number: string;
    readonly integer: string;
    readonly atLeast: (least: number | bigint) => string;
    readonly atMost: (most: number | bigint) => string;
    readonly above: (limit: number | bigint) => string;
    readonly below: (limit: number | bigint) => string;
    readonly multipleOf: (step: number | bigint) => string;
    readonly minLength: (count: number | bigint) => string;
    readonly maxLength: (count: number | bigint) => string;
    readonly minItems: (count: number | bigint) => string;
    readonly maxItems: (count: number | bigint) => string;
    readonly format: (name: string) => string;
    readonly notAllowed: string;
    readonly problems: (count: number | bigint) => string;
  };
  readonly answered: (count: number | bigint) => string;
  readonly by: (who: string) => string;
  readonly somebody: string;
  readonly declined: string;
  readonly wasExpired: string;
  readonly approved: string;
  readonly rejected: string;
  readonly edited: string;
  readonly goneBy: (who: string) => string;
  readonly dismiss: string;
}

export const texts: Texts<QuestionTexts> = {
  en: {
    title: (count) => (count === 1 ? 'A question waits for you' : `${count} questions wait for you`),
    kinds: {
      ambiguity: 'Which one?',
      approval: 'Approval of a call',
      elicitation: 'A tool asks',
      missing_input: 'Something is missing',
      in_doubt: 'In doubt',
      plan_approval: 'Approval of the plan',
    },
    answer: 'Answer',
    yourAnswer: 'Your answer',
    decline: 'I will not say',
    comment: 'Comment (optional)',
    addComment: 'Add a comment',
    reason: 'Reason, or what should be done instead (optional)',
    reject: 'Reject',
    approve: 'Approve',
    edit: 'Edit the plan',
    approveProposed: 'Approve without my changes',
    hasDraft: 'You have changed this plan under Plan, and approve it there.',
    back: 'Back',
    open: (host) => `Open the page at ${host}`,
    notOpened: 'This address is no web page, so it is not opened:',
    expiresIn: (time) => `expires in ${time}`,
    expired: 'has expired; nobody can answer it now',
    byDefault: (value) => `without an answer: ${value}`,
    mayAnswer: (users) => `may be answered by ${users}`,
    blocks: (ids) => `waiting for it: ${ids}`,
    blocksRun: 'the whole run waits for it',
    held: 'the tool waits for the answer',
    past: 'This was open at the moment that is shown. Questions are answered now, not in the past.',
    ownAnswer: 'Own answer',
    does: (calls) => `then calls ${calls}`,
    context: {
      call: 'Call',
      args: 'Arguments',
      noArgs: 'no arguments',
      effect: 'What it does',
      attempt: 'Attempt',
      input: 'Input',
      probe: 'Looked for',
      done: 'Calls done',
      open: 'Call in doubt',
      why: 'Why',
      objective: 'Objective',
      wholePlan: 'The whole plan',
      tasks: (count) => (count === 1 ? '1 task' : `${count} tasks`),
      notes: 'Note',
      problems: 'The edited plan could not be used',
      other: 'More about it',
    },
    form: {
      needed: 'This is needed.',
      optional: 'optional',
      leaveOut: '(leave out)',
      yes: 'Yes',
      no: 'No',
      json: 'This is not JSON.',
      list: 'Several, separated by commas',
      number: 'This must be a number.',
      integer: 'This must be a whole number.',
      atLeast: (least) => `This must be at least ${least}.`,
      atMost: (most) => `This must be at most ${most}.`,
      above: (limit) => `This must be more than ${limit}.`,
      below: (limit) => `This must be less than ${limit}.`,
      multipleOf: (step) => `This must be a multiple of ${step}.`,
      minLength: (count) => `At least ${count} characters are needed.`,
      maxLength: (count) => `At most ${count} characters are allowed.`,
      minItems: (count) => `Choose at least ${count}.`,
      maxItems: (count) => `Choose at most ${count}.`,
      format: (name) => `This is not a valid ${name}.`,
      notAllowed: 'This is not one of the allowed values.',
      problems: (count) =>
        count === 1 ? 'One field needs another look.' : `${count} fields need another look.`,
    },
    answered: (count) => (count === 1 ? '1 answered question' : `${count} answered questions`),
    by: (who) => `by ${who}`,
    somebody: 'somebody',
    declined: 'declined to say',
    wasExpired: 'nobody answered in time',
    approved: 'approved',
    rejected: 'rejected',
    edited: 'approved with changes',
    goneBy: (who) => `Answered meanwhile by ${who}`,
    dismiss: 'Dismiss',
  },
  ja: {
    title: (count) => `回答待ちの質問 ${count}件`,
    kinds: {
      ambiguity: 'どれですか',
      approval: '呼び出しの承認',
      elicitation: 'ツールからの質問',
      missing_input: '情報が足りません',
      in_doubt: '結果不明',
      plan_approval: '計画の承認',
    },
    answer: '回答する',
    yourAnswer: '回答',
    decline: '答えない',
    comment: 'コメント(任意)',
    addComment: 'コメントを添える',
    reason: '理由、または代わりにしてほしいこと(任意)',
    reject: '却下',
    approve: '承認',
    edit: '計画を編集',
    approveProposed: '変更せずに承認',
    hasDraft: '「計画」の画面で変更した内容があります。変更はそこで承認できます。',
    back: '戻る',
    open: (host) => `${host} のページを開く`,
    notOpened: 'ウェブページのアドレスではないため、開きません:',
    expiresIn: (time) => `期限まで ${time}`,
    expired: '期限切れです。もう回答できません',
    byDefault: (value) => `回答がない場合: ${value}`,
    mayAnswer: (users) => `回答できる人: ${users}`,
    blocks: (ids) => `待っているタスク: ${ids}`,
    blocksRun: '実行全体が待っています',
    held: 'ツールが回答を待っています',
    past: '表示中の時点で開いていた質問です。回答は現在の状態でのみできます。',
    ownAnswer: '自分の言葉で答える',
    does: (calls) => `${calls} を呼び出します`,
    context: {
      call: '呼び出し',
      args: '引数',
      noArgs: '引数なし',
      effect: '影響',
      attempt: '試行',
      input: '入力',
      probe: '確認の結果',
      done: '完了した呼び出し',
      open: '結果が不明な呼び出し',
      why: '理由',
      objective: '目的',
      wholePlan: '計画全体',
      tasks: (count) => `タスク ${count}個`,
      notes: '注意',
      problems: '編集した計画は使えませんでした',
      other: '補足',
    },
    form: {
      needed: '入力が必要です。',
      optional: '省略可',
      leaveOut: '(省略)',
      yes: 'はい',
      no: 'いいえ',
      json: 'JSON として読めません。',
      list: '複数ある場合はカンマで区切る',
      number: '数を入力してください。',
      integer: '整数を入力してください。',
      atLeast: (least) => `${least} 以上にしてください。`,
      atMost: (most) => `${most} 以下にしてください。`,
      above: (limit) => `${limit} より大きくしてください。`,
      below: (limit) => `${limit} より小さくしてください。`,
      multipleOf: (step) => `${step} の倍数にしてください。`,
      minLength: (count) => `${count}文字以上にしてください。`,
      maxLength: (count) => `${count}文字以内にしてください。`,
      minItems: (count) => `${count}個以上選んでください。`,
      maxItems: (count) => `${count}個以内で選んでください。`,
      format: (name) => `${name} として正しくありません。`,
      notAllowed: '選べる値ではありません。',
      problems: (count) => `${count}か所を確認してください。`,
    },
    answered: (count) => `回答済みの質問 ${count}件`,
    by: (who) => `${who} が回答`,
    somebody: '誰か',
    declined: '答えないと回答',
    wasExpired: '期限までに回答なし',
    approved: '承認',
    rejected: '却下',
    edited: '変更して承認',
    goneBy: (who) => `先に${who}が回答しました`,
    dismiss: '閉じる',
  },
};
