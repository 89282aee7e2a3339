import type { EdgeKind } from '../run/graph/structure.ts';
import type { Texts } from '../shell/language.tsx';

const en = {
  graph: 'Plan graph',
  keys: 'Arrow keys move along the edges and between tasks. Enter opens the details, F shows all, plus and minus zoom.',
  map: 'Map',
  gone: 'Show replaced tasks',
  shapes: { graph: 'Graph', list: 'List' },
  legend: 'Legend',
  edges: {
    data: 'Uses result',
    after: 'Runs after',
    hazard: 'Waits: same resource',
  } satisfies Record<EdgeKind, string>,
  gate: 'Waits for a whole group',
  proposed: 'Proposed',
  progress: (done: number, total: number) => `${done} of ${total}`,
  step: 'Step',
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
    shapes: { graph: 'グラフ', list: '一覧' },
    legend: '凡例',
    edges: { data: '結果を使用', after: '順序指定', hazard: '待機：同じリソース' },
    gate: 'グループ全体を待機',
    proposed: '提案中',
    progress: (done, total) => `${done} / ${total}`,
    step: 'ステップ',
    before: (count) => `前に ${count} 件`,
    behind: (count) => `後に ${count} 件`,
  },
};
