import type { Texts } from '../shell/language.tsx';
import type { RunView } from '../shell/route.tsx';

const en = {
  viewsLabel: 'Views of the run',
  views: {
    graph: 'Graph',
    timeline: 'Timeline',
    decisions: 'Decisions',
    tasks: 'Tasks',
    plan: 'Plan',
    events: 'Events',
  } satisfies Record<RunView, string>,
  shape: 'Show as',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Show all',
  details: (task: string) => `Details of ${task}`,
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
    shape: '表示形式',
    zoomIn: '拡大',
    zoomOut: '縮小',
    fit: '全体を表示',
    details: (task) => `${task} の詳細`,
  },
};
