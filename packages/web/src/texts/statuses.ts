import type { RunPage } from 'dandori/client';
import type { TaskStatus } from '#dandori/run/state/state.ts';
import { words as japanese } from '#dandori/views/texts/ja/words.ts';
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
    status: japanese.statuses,
  },
};
