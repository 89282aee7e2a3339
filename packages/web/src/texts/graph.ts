import type { EdgeKind } from '../run/graph/structure.ts';
import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';

const en = {
  graph: 'Plan graph',
  keys: 'Arrow keys move along the edges and between tasks. Enter opens the details, F shows all, plus and minus zoom.',
  map: 'Map',
  gone: 'Show replaced tasks',
  shapes: { graph: labels.en.graph, list: 'List' },
  legend: 'Legend',
  edges: {
    data: 'Uses result',
    after: 'Runs after',
    hazard: labels.en.sameResource,
  } satisfies Record<EdgeKind, string>,
  gate: 'Waits for a whole group',
  proposed: 'Proposed',
  progress: (done: number, total: number) => `${done} of ${total}`,
  step: labels.en.step,
  before: (count: number) => `${count} before`,
  behind: (count: number) => `${count} after`,
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    graph: '計画のグラフ',
    keys: '矢印キーで線に沿って、または隣のタスクへ移動します。Enter で詳細、F で全体、+ と - で拡大・縮小します。',
    map: '全体図',
    gone: '差し替え済みも表示',
    shapes: { graph: labels.ja.graph, list: '一覧' },
    legend: '凡例',
    edges: { data: '結果を使用', after: '順序指定', hazard: labels.ja.sameResource },
    gate: 'グループ全体を待機',
    proposed: '提案中',
    progress: (done, total) => `${done} / ${total}`,
    step: labels.ja.step,
    before: (count) => `前に ${count} 件`,
    behind: (count) => `後に ${count} 件`,
  },
};
