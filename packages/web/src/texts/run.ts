import type { Texts } from '../shell/language.tsx';
import type { RunView } from '../shell/route.tsx';
import { labels } from './labels.ts';

const en = {
  viewsLabel: 'Views of the run',
  views: {
    graph: labels.en.graph,
    timeline: labels.en.timeline,
    decisions: 'Decisions',
    tasks: labels.en.tasks,
    plan: labels.en.plan,
    events: labels.en.events,
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
      graph: labels.ja.graph,
      timeline: labels.ja.timeline,
      decisions: labels.ja.decision,
      tasks: labels.ja.tasks,
      plan: labels.ja.plan,
      events: labels.ja.events,
    },
    shape: '表示形式',
    zoomIn: '拡大',
    zoomOut: '縮小',
    fit: '全体を表示',
    details: (task) => `${task} の詳細`,
  },
};
