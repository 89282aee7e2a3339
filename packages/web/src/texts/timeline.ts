import type { Bar } from '../run/timeline/bars.ts';
import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';
import { words } from './words.ts';

const en = {
  timeline: labels.en.timeline,
  keys: 'Left and right move along a row, up and down between rows. Enter opens the details, plus and minus zoom, 0 shows all.',
  nothing: 'Nothing to show yet',
  shapes: { chart: 'Chart', table: 'Table' },
  fold: 'Fold idle time',
  folded: (time: string) => `Idle for ${time}`,
  model: labels.en.model,
  user: 'User',
  now: 'Now',
  critical: labels.en.criticalPath,
  many: (count: number) => `${count} short ones`,
  kinds: {
    attempt: labels.en.call,
    probe: labels.en.outcomeCheck,
    decision: labels.en.decision,
    wait: words.en.statuses.waiting,
    slot: 'Waiting for a free slot',
  } satisfies Record<Bar['kind'], string>,
  hows: {
    open: words.en.statuses.running,
    succeeded: words.en.statuses.succeeded,
    failed: words.en.statuses.failed,
    in_doubt: words.en.statuses.in_doubt,
    asked: 'Asked a question',
    lost: words.en.statuses.interrupted,
  } satisfies Record<Bar['how'], string>,
  columns: { what: labels.en.item, how: labels.en.outcome, start: 'Start', took: labels.en.duration },
  question: labels.en.question,
  decision: words.en.decision,
  attempt: words.en.attempt,
  yes: labels.en.yes,
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    timeline: labels.ja.timeline,
    keys: '左右キーで行の中を、上下キーで行の間を移動します。Enter で詳細、+ と - で拡大・縮小、0 で全体を表示します。',
    nothing: '表示する内容はまだありません',
    shapes: { chart: '図', table: '表' },
    fold: '休止時間を折りたたむ',
    folded: (time) => `${time} 休止`,
    model: labels.ja.model,
    user: 'ユーザー',
    now: '現在',
    critical: labels.ja.criticalPath,
    many: (count) => `短いもの ${count} 件`,
    kinds: {
      attempt: labels.ja.call,
      probe: labels.ja.outcomeCheck,
      decision: labels.ja.decision,
      wait: words.ja.statuses.waiting,
      slot: '空き待ち',
    },
    hows: {
      open: words.ja.statuses.running,
      succeeded: words.ja.statuses.succeeded,
      failed: words.ja.statuses.failed,
      in_doubt: words.ja.statuses.in_doubt,
      asked: labels.ja.anyQuestion,
      lost: '中断',
    },
    columns: { what: labels.ja.item, how: labels.ja.outcome, start: '開始', took: labels.ja.duration },
    question: labels.ja.question,
    decision: words.ja.decision,
    attempt: words.ja.attempt,
    yes: labels.ja.yes,
  },
};
