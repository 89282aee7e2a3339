import type { Texts } from '../shell/language.tsx';
import type { RunView } from '../shell/route.tsx';

const en: {
  views: Record<RunView, string>;
  viewsLabel: string;
  close: string;
  zoomIn: string;
  zoomOut: string;
  fit: string;
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
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Show all',
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
      plan: '計画',
      events: 'イベント',
    },
    close: '閉じる',
    zoomIn: '拡大',
    zoomOut: '縮小',
    fit: '全体を表示',
    details: (task) => `${task} の詳細`,
  },
};
