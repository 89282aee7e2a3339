import type { Bar } from '../run/timeline/bars.ts';
import type { Texts } from '../shell/language.tsx';
import { words } from './words.ts';

const en = {
  timeline: 'Timeline',
  keys: 'Left and right move along a row, up and down between rows. Enter opens the details, plus and minus zoom, 0 shows all.',
  nothing: 'Nothing to show yet',
  shapes: { chart: 'Chart', table: 'Table' },
  fold: 'Fold idle time',
  folded: (time: string) => `Idle for ${time}`,
  model: 'Model',
  user: 'User',
  now: 'Now',
  critical: 'Critical path',
  many: (count: number) => `${count} short ones`,
  kinds: {
    attempt: 'Call',
    probe: 'Outcome check',
    decision: 'Decision',
    wait: 'Waiting for an answer',
    slot: 'Waiting for a free slot',
  } satisfies Record<Bar['kind'], string>,
  hows: {
    open: 'Running',
    succeeded: 'Done',
    failed: 'Failed',
    in_doubt: 'Unconfirmed',
    asked: 'Asked a question',
    lost: 'Interrupted',
  } satisfies Record<Bar['how'], string>,
  columns: { what: 'Item', how: 'Outcome', start: 'Start', took: 'Duration' },
  question: (id: number | string) => `Question ${id}`,
  decision: words.en.decision,
  attempt: words.en.attempt,
  yes: 'Yes',
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    timeline: 'タイムライン',
    keys: '左右キーで行の中を、上下キーで行の間を移動します。Enter で詳細、+ と - で拡大・縮小、0 で全体を表示します。',
    nothing: '表示する内容はまだありません',
    shapes: { chart: '図', table: '表' },
    fold: '休止時間を折りたたむ',
    folded: (time) => `${time} 休止`,
    model: 'モデル',
    user: 'ユーザー',
    now: '現在',
    critical: 'クリティカルパス',
    many: (count) => `短いもの ${count} 件`,
    kinds: { attempt: '呼び出し', probe: '結果の確認', decision: '判断', wait: '回答待ち', slot: '空き待ち' },
    hows: {
      open: '実行中',
      succeeded: '完了',
      failed: '失敗',
      in_doubt: '結果不明',
      asked: '質問',
      lost: '中断',
    },
    columns: { what: '項目', how: '終了状態', start: '開始', took: '所要時間' },
    question: (id) => `質問 ${id}`,
    decision: words.ja.decision,
    attempt: words.ja.attempt,
    yes: 'はい',
  },
};
