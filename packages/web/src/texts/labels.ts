import { labels as english } from '#dandori/views/texts/en/labels.ts';
import { labels as japanese } from '#dandori/views/texts/ja/labels.ts';
import type { Texts } from '../shell/language.tsx';

const en = {
  ...english,
  /** Labels that several areas of the page show, and the command line does not. */
  dashboard: 'Dashboard',
  tools: 'Tools',
  tool: 'Tool',
  calls: 'Calls',
  attempts: 'Attempts',
  arguments: 'Arguments',
  sameResource: 'Waits: same resource',
  decision: 'Decision',
  anyQuestion: 'Question',
  event: (seq: number) => `Event ${seq}`,
  events: 'Events',
  graph: 'Graph',
  timeline: 'Timeline',
  status: 'Status',
  mode: 'Mode',
  item: 'Item',
  none: 'none',
  you: 'You',
  comment: 'Comment (optional)',
  close: 'Close',
  notJson: 'Not valid JSON',
};

/** Labels that stand in more than one catalogue. */
export const labels: Texts<typeof en> = {
  en,
  ja: {
    ...japanese,
    dashboard: 'ダッシュボード',
    tools: 'ツール',
    tool: 'ツール',
    calls: japanese.call,
    attempts: japanese.attempt,
    arguments: '引数',
    sameResource: '待機：同じリソース',
    decision: '判断',
    anyQuestion: '質問',
    event: (seq) => `イベント ${seq}`,
    events: 'イベント',
    graph: 'グラフ',
    timeline: 'タイムライン',
    status: '状態',
    mode: 'モード',
    item: '項目',
    none: 'なし',
    you: 'あなた',
    comment: 'コメント（任意）',
    close: '閉じる',
    notJson: '正しい JSON ではありません',
  },
};
