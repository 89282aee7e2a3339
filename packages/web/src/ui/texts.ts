import type { RunPage } from 'dandori/client';
import type { TaskStatus } from '#core/state.ts';
import type { Texts } from '../shell/language.tsx';

export type Status = TaskStatus | RunPage['runs'][number]['status'] | 'skipped';

const en: { waiting: string; status: Record<Status, string> } = {
  waiting: 'One moment …',
  status: {
    pending: 'pending',
    ready: 'ready',
    running: 'running',
    retrying: 'retrying',
    waiting: 'waiting for a person',
    in_doubt: 'in doubt',
    expanding: 'under way',
    succeeded: 'done',
    failed: 'failed',
    blocked: 'blocked',
    skipped: 'left out',
    open: 'under way',
    paused: 'paused',
    answered: 'answered',
    cancelled: 'cancelled',
    exhausted: 'limit reached',
    damaged: 'damaged',
  },
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    waiting: 'お待ちください…',
    status: {
      pending: '待機中',
      ready: '実行可能',
      running: '実行中',
      retrying: '再試行待ち',
      waiting: '回答待ち',
      in_doubt: '結果不明',
      expanding: '進行中',
      succeeded: '完了',
      failed: '失敗',
      blocked: '実行不可',
      skipped: '未実行',
      open: '進行中',
      paused: '一時停止',
      answered: '回答済み',
      cancelled: '中止',
      exhausted: '上限に到達',
      damaged: '破損',
    },
  },
};
