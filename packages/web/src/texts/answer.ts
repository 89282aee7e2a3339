import type { Outcome } from '#dandori/model/event.ts';
import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';

const en = {
  title: 'Activity',
  thread: (count: number) => `${count} messages so far`,
  goal: labels.en.goal,
  you: labels.en.you,
  note: labels.en.note,
  question: labels.en.anyQuestion,
  resumed: labels.en.resumed,
  raised: (amounts: string) => `${labels.en.limitsRaised}: ${amounts}`,
  writing: labels.en.writingAnswer,
  ended: {
    answered: 'The run is done.',
    failed: 'The run failed.',
    cancelled: 'The run was cancelled.',
    exhausted: 'The run reached a limit.',
  } satisfies Record<Outcome, string>,
  limit: (what: string) => `Limit reached: ${what}.`,
  limitFix: 'Raise it to resume where the run stopped.',
  missing: labels.en.notCompleted,
  forkedFrom: 'Forked from',
  event: (seq: number) => `at event ${seq}`,
  again: {
    whole: labels.en.runAgain,
    changed: 'Run with changes',
    failed: labels.en.fromFailed,
    modelFailed: labels.en.modelFailed,
  },
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    title: '経過',
    thread: (count) => `これまでのメッセージ ${count} 件`,
    goal: labels.ja.goal,
    you: labels.ja.you,
    note: labels.ja.note,
    question: labels.ja.anyQuestion,
    resumed: labels.ja.resumed,
    raised: (amounts) => `${labels.ja.limitsRaised}：${amounts}`,
    writing: labels.ja.writingAnswer,
    ended: {
      answered: '実行が完了しました。',
      failed: '実行は失敗しました。',
      cancelled: '実行を中止しました。',
      exhausted: '実行が上限に達しました。',
    },
    limit: (what) => `上限に達しました：${what}。`,
    limitFix: '引き上げると、停止したところから再開します。',
    missing: labels.ja.notCompleted,
    forkedFrom: '分岐元',
    event: labels.ja.event,
    again: {
      whole: labels.ja.runAgain,
      changed: '変更して実行',
      failed: labels.ja.fromFailed,
      modelFailed: labels.ja.modelFailed,
    },
  },
};
