import type { Overview } from '#dandori/store/dispatcher/worker-overview.ts';
import type { Range } from '../dashboard/columns.ts';
import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';

type Queue = Overview['queue'];

const n = (count: number) => count.toLocaleString('en');

const en = {
  title: labels.en.dashboard,
  range: 'Range',
  ranges: { '1d': '1 day', '7d': '7 days', '30d': '30 days', all: 'All time' } satisfies Record<
    Range,
    string
  >,
  empty: 'No runs in this period.',
  table: 'Show table',
  time: 'Time',
  byStart: 'Counted by start time.',
  perRun: (average: string) => `${average} per run`,
  ratings: (mean: string, count: number) => `${mean} of 5 (${count})`,
  notEnded: 'Not ended',
  input: 'Input',
  output: 'Output',
  charts: {
    runs: { title: labels.en.runs, about: 'Runs started, by outcome.' },
    completion: { title: labels.en.completionRate, about: 'Runs that are done, out of those that ended.' },
    revisions: { title: 'Revisions per run', about: 'How often a plan was changed while it ran.' },
    modelCalls: { title: labels.en.modelCalls, about: 'Calls to a model for a decision.' },
    tokens: { title: labels.en.tokens, about: 'Input and output tokens of model calls.' },
    cost: { title: labels.en.cost, about: 'Cost in US dollars of model calls with a known price.' },
    errors: {
      title: 'Call error rate',
      about: 'Tool calls that failed or are unconfirmed, out of all calls.',
    },
    timeouts: { title: labels.en.timeouts, about: 'Tool calls that timed out.' },
    duration: { title: labels.en.duration, about: 'Mean running time of runs that ended.' },
    satisfaction: { title: labels.en.averageRating, about: 'Mean rating by users, from 1 to 5.' },
  },
  tools: { title: 'By tool', tool: labels.en.tool, calls: labels.en.calls, errorRate: 'Error rate' },
  workers: {
    title: 'Processes',
    process: 'Process',
    role: 'Role',
    roles: { serve: 'Server', work: 'Worker' },
    runs: labels.en.runs,
    lease: 'Lease',
    alive: 'Valid',
    ended: 'Ended',
    clock: 'Clock ahead',
    started: 'Started',
    isThis: '(this server)',
    queue: ({ due, later, stranded, parked }: Queue) =>
      `Queued: ${n(due)}. Due later: ${n(later)}. Without a process: ${n(stranded)}.${parked === null ? '' : ` Waiting for an answer or a time: ${n(parked)}.`}`,
    processOn: (pid: string, host: string) => `process ${pid} on ${host}`,
    warnings: {
      config: (names: readonly string[]) => `The configuration differs: ${names.join(', ')}`,
      version: (names: readonly string[]) => `The version differs: ${names.join(', ')}`,
      clock: (names: readonly string[]) =>
        `The clock is more than 2 s away from the database: ${names.join(', ')}`,
    },
  },
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    title: labels.ja.dashboard,
    range: '期間',
    ranges: { '1d': '1 日', '7d': '7 日', '30d': '30 日', all: '全期間' },
    empty: 'この期間の実行はありません。',
    table: '表で表示',
    time: '時刻',
    byStart: '開始時刻で集計しています。',
    perRun: (average) => `実行あたり ${average}`,
    ratings: (mean, count) => `${mean} / 5（${count} 件）`,
    notEnded: '未終了',
    input: '入力',
    output: '出力',
    charts: {
      runs: { title: '実行数', about: '開始した実行の数（終了状態別）。' },
      completion: { title: labels.ja.completionRate, about: '終了した実行のうち、完了した割合。' },
      revisions: { title: '実行あたりの修正回数', about: '実行中に計画を修正した回数。' },
      modelCalls: { title: labels.ja.modelCalls, about: '判断のためにモデルを呼び出した回数。' },
      tokens: { title: labels.ja.tokens, about: 'モデル呼び出しの入力と出力のトークン数。' },
      cost: { title: labels.ja.cost, about: '料金が分かるモデル呼び出しの費用（米ドル）。' },
      errors: { title: '呼び出しのエラー率', about: 'ツール呼び出しのうち、失敗または結果不明の割合。' },
      timeouts: { title: labels.ja.timeouts, about: 'タイムアウトしたツール呼び出しの回数。' },
      duration: { title: labels.ja.duration, about: '終了した実行が動いていた時間の平均。' },
      satisfaction: { title: labels.ja.averageRating, about: 'ユーザーによる 1〜5 の評価の平均。' },
    },
    tools: { title: 'ツール別', tool: labels.ja.tool, calls: labels.ja.calls, errorRate: 'エラー率' },
    workers: {
      title: 'プロセス',
      process: 'プロセス',
      role: '役割',
      roles: { serve: 'サーバー', work: 'ワーカー' },
      runs: labels.ja.runs,
      lease: 'リース',
      alive: '有効',
      ended: '終了',
      clock: '時計の進み',
      started: '開始',
      isThis: '（このサーバー）',
      queue: ({ due, later, stranded, parked }) =>
        `順番待ち ${n(due)} 件、予定 ${n(later)} 件、プロセスなし ${n(stranded)} 件${parked === null ? '' : `、回答や時刻の待機 ${n(parked)} 件`}`,
      processOn: (pid, host) => `${host} のプロセス ${pid}`,
      warnings: {
        config: (names: readonly string[]) => `設定が異なります：${names.join('、')}`,
        version: (names: readonly string[]) => `バージョンが異なります：${names.join('、')}`,
        clock: (names: readonly string[]) =>
          `時計がデータベースから 2 秒を超えてずれています：${names.join('、')}`,
      },
    },
  },
};
