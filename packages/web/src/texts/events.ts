import type { Texts } from '../shell/language.tsx';

interface EventTexts {
  readonly list: string;
  readonly search: string;
  readonly type: string;
  readonly allTypes: string;
  readonly count: (shown: number, all: number) => string;
  readonly none: string;
  readonly expand: (seq: number, type: string) => string;
  readonly moment: (seq: number) => string;
  readonly here: string;
  readonly data: (seq: number) => string;
}

export const texts: Texts<EventTexts> = {
  en: {
    list: 'Events of the run',
    search: 'Search in the events',
    type: 'Type',
    allTypes: 'All',
    count: (shown, all) => (shown === all ? `${all} events` : `${shown} of ${all} events`),
    none: 'No event fits.',
    expand: (seq, type) => `All of event ${seq}, ${type}`,
    moment: (seq) => `Show the run at event ${seq}`,
    here: 'shown now',
    data: (seq) => `Event ${seq}`,
  },
  ja: {
    list: '実行のイベント',
    search: 'イベント内を検索',
    type: '種類',
    allTypes: 'すべて',
    count: (shown, all) => (shown === all ? `イベント ${all}件` : `${all}件のうち${shown}件`),
    none: '当てはまるイベントがありません。',
    expand: (seq, type) => `イベント ${seq} ${type} の全体`,
    moment: (seq) => `イベント ${seq} の時点の実行を見る`,
    here: '表示中',
    data: (seq) => `イベント ${seq}`,
  },
};
