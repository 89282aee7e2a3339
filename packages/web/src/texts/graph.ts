import type { Effect } from '#dandori/model/tool.ts';
import type { EdgeKind } from '../run/graph/structure.ts';
import type { Texts } from '../shell/language.tsx';

const en = {
  graph: 'The plan as a graph',
  keys: 'Arrow keys go along the edges and to the tasks beside. Enter opens the details, F shows all, plus and minus zoom.',
  nothing: 'Nothing has been planned yet.',
  map: 'Map',
  gone: 'Show what revisions replaced',
  shapes: { graph: 'Graph', list: 'List' },
  shape: 'Form',
  legend: 'Legend',
  edges: {
    data: 'takes its result',
    after: 'comes after',
    hazard: 'touches the same, keeps the order',
  } satisfies Record<EdgeKind, string> as Record<EdgeKind, string>,
  gate: 'waits for all of a group',
  effects: {
    read: 'read',
    idempotent: 'idempotent',
    write: 'write',
    destructive: 'destructive',
  } satisfies Record<Effect, string> as Record<Effect, string>,
  tries: (count: number) => `attempt ${count}`,
  proposed: 'proposed',
  replaced: 'replaced',
  progress: (done: number, total: number) => `${done} of ${total}`,
  step: 'Step',
  needs: 'needs',
  waitsFor: 'keeps the order after',
  before: (count: number) => (count === 1 ? '1 before it' : `${count} before it`),
  behind: (count: number) => (count === 1 ? '1 behind it' : `${count} behind it`),
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    graph: '計画のグラフ',
    keys: '矢印キーで線に沿って、または隣のタスクへ移動します。Enterで詳細を開き、Fで全体を表示、+と-で拡大・縮小します。',
    nothing: 'まだ計画はありません。',
    map: '縮小図',
    gone: '改訂で置き換えられたものも表示',
    shapes: { graph: 'グラフ', list: '一覧' },
    shape: '表示形式',
    legend: '凡例',
    edges: {
      data: '結果を受け取る',
      after: '後に行う',
      hazard: '同じ対象に触れるので順序を守る',
    },
    gate: 'グループ全体を待つ',
    effects: { read: '読み取り', idempotent: '冪等', write: '書き込み', destructive: '破壊的' },
    tries: (count) => `${count}回目`,
    proposed: '提案中',
    replaced: '置き換え済み',
    progress: (done, total) => `${done}/${total}`,
    step: 'ステップ',
    needs: '必要なもの',
    waitsFor: '順序を守る相手',
    before: (count) => `前に${count}件`,
    behind: (count) => `後ろに${count}件`,
  },
};
