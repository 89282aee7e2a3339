import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';

const en = {
  list: 'Events of the run',
  search: 'Search events',
  type: 'Type',
  count: (shown: number, all: number) => (shown === all ? `${all} events` : `${shown} of ${all} events`),
  none: 'No matching events',
  expand: (seq: number, type: string) => `Full event ${seq}, ${type}`,
  moment: (seq: number) => `Show the run at event ${seq}`,
  here: 'Shown now',
  data: labels.en.event,
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    list: '実行のイベント',
    search: 'イベントを検索',
    type: '種類',
    count: (shown, all) => (shown === all ? `イベント ${all} 件` : `イベント ${all} 件中 ${shown} 件`),
    none: '該当するイベントはありません',
    expand: (seq, type) => `イベント ${seq}（${type}）の全体`,
    moment: (seq) => `イベント ${seq} の時点の実行を表示`,
    here: '表示中',
    data: labels.ja.event,
  },
};
