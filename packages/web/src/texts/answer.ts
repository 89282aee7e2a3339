import type { Outcome } from '#dandori/model/event.ts';
import type { Texts } from '../shell/language.tsx';

const en = {
  title: 'Activity',
  thread: (count: number) => `${count} messages so far`,
  goal: 'Goal',
  you: 'You',
  note: 'Note',
  question: 'Question',
  resumed: 'Resumed',
  raised: (amounts: string) => `Limits raised: ${amounts}`,
  writing: 'Writing the final answer…',
  ended: {
    answered: 'The run is done.',
    failed: 'The run failed.',
    cancelled: 'The run was cancelled.',
    exhausted: 'The run reached a limit.',
  } satisfies Record<Outcome, string>,
  limit: (what: string) => `Limit reached: ${what}.`,
  limitFix: 'Raise it to resume where the run stopped.',
  missing: 'Not completed',
  forkedFrom: 'Forked from',
  event: (seq: number) => `at event ${seq}`,
  again: {
    whole: 'Run again',
    changed: 'Run with changes',
    failed: 'From the failed task',
    modelFailed: 'The model failed, not the goal. Check its settings, or try again later.',
  },
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    title: '経過',
    thread: (count) => `これまでのメッセージ ${count} 件`,
    goal: '目標',
    you: 'あなた',
    note: '追加指示',
    question: '質問',
    resumed: '再開しました',
    raised: (amounts) => `上限を引き上げました：${amounts}`,
    writing: '最終回答を作成中…',
    ended: {
      answered: '実行が完了しました。',
      failed: '実行は失敗しました。',
      cancelled: '実行を中止しました。',
      exhausted: '実行が上限に達しました。',
    },
    limit: (what) => `上限に達しました：${what}。`,
    limitFix: '引き上げると、停止したところから再開します。',
    missing: '未完了',
    forkedFrom: '分岐元',
    event: (seq) => `イベント ${seq}`,
    again: {
      whole: 'もう一度実行',
      changed: '変更して実行',
      failed: '失敗したタスクから',
      modelFailed: '目標ではなくモデルのエラーです。設定を確認するか、時間をおいて再試行してください。',
    },
  },
};
