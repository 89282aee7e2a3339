import type { Texts } from '../shell/language.tsx';
import type { RunView } from '../shell/route.tsx';

const en: {
  views: Record<RunView, string>;
  viewsLabel: string;
  close: string;
  details: (task: string) => string;
} = {
  viewsLabel: 'Views of the run',
  views: {
    graph: 'Graph',
    timeline: 'Timeline',
    decisions: 'Decisions',
    tasks: 'Tasks',
    plan: 'Plan',
    events: 'Events',
  },
  close: 'Close',
  details: (task) => `Details of ${task}`,
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    viewsLabel: '実行の表示',
    views: {
      graph: 'グラフ',
      timeline: 'タイムライン',
      decisions: '判断',
      tasks: 'タスク',
      plan: 'プラン',
      events: 'イベント',
    },
    close: '閉じる',
    details: (task) => `${task} の詳細`,
  },
};
