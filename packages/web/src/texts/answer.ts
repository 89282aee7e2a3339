import type { Outcome } from '#dandori/model/event.ts';
import type { Texts } from '../shell/language.tsx';

interface AnswerTexts {
  readonly title: string;
  readonly thread: (count: number) => string;
  readonly goal: string;
  readonly you: string;
  readonly note: string;
  readonly passedOn: (run: string) => string;
  readonly question: string;
  readonly paused: (reason: string | undefined) => string;
  readonly continued: string;
  readonly budget: (amounts: string) => string;
  readonly cancelled: (reason: string) => string;
  readonly writing: string;
  readonly ended: Readonly<Record<Outcome, string>>;
  readonly limit: (what: string) => string;
  readonly limitFix: string;
  readonly missing: string;
  readonly rating: (rating: number) => string;
  readonly forkedFrom: string;
  readonly event: (seq: number) => string;
}

export const texts: Texts<AnswerTexts> = {
  en: {
    title: 'Conversation',
    thread: (count) => `${count} messages so far`,
    goal: 'Goal',
    you: 'You',
    note: 'Note',
    passedOn: (run) => `Passed on by the model of run ${run}`,
    question: 'Question',
    paused: (reason) => `Paused${reason === undefined ? '' : `: ${reason}`}`,
    continued: 'Continued',
    budget: (amounts) => `Limits raised: ${amounts}`,
    cancelled: (reason) => `Cancelled: ${reason}`,
    writing: 'The answer is being written …',
    ended: {
      answered: 'The run has ended with an answer.',
      failed: 'The run has failed.',
      cancelled: 'The run was cancelled.',
      exhausted: 'The run has reached a limit.',
    },
    limit: (what) => `It was ended by ${what}.`,
    limitFix: 'Raise the limit and the run goes on where it stopped.',
    missing: 'What was not done',
    rating: (rating) => `Rated ${rating} of 5`,
    forkedFrom: 'Forked from',
    event: (seq) => `at event ${seq}`,
  },
  ja: {
    title: 'やりとり',
    thread: (count) => `これまでのやりとり ${count}件`,
    goal: '目標',
    you: 'あなた',
    note: '利用者の言葉',
    passedOn: (run) => `実行 ${run} のモデルからの伝言`,
    question: '質問',
    paused: (reason) => `一時停止${reason === undefined ? '' : `: ${reason}`}`,
    continued: '再開',
    budget: (amounts) => `上限の引き上げ: ${amounts}`,
    cancelled: (reason) => `中止: ${reason}`,
    writing: '答えを書いています…',
    ended: {
      answered: '答えが出て、実行が終わりました。',
      failed: '実行は失敗しました。',
      cancelled: '実行は中止されました。',
      exhausted: '実行は上限に達しました。',
    },
    limit: (what) => `${what}の上限により終わりました。`,
    limitFix: '上限を引き上げると、止まったところから続きます。',
    missing: 'できなかったこと',
    rating: (rating) => `評価 5段階中 ${rating}`,
    forkedFrom: '分岐元',
    event: (seq) => `イベント ${seq}`,
  },
};
