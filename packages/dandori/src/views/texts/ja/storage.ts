import type { StorageTexts } from '../en/storage.ts';
import { labels } from './labels.ts';

const BACKUP = 'ファイルをバックアップから復元してください。';
const PARTS = { runs: labels.runs, conversations: labels.conversations, blobs: '保存済みの結果' };

export const storage: StorageTexts = {
  doctored: {
    looked: (store) => `保存先：${store}`,
    healthy: ({ runs, conversations, events, blobs }) =>
      `問題はありません：実行 ${runs} 件、会話 ${conversations} 件、イベント ${events} 件、保存済みの結果 ${blobs} 件。`,
    unseen: (parts) => `ファイルに保存されていないため未確認：${parts.map((part) => PARTS[part]).join('、')}`,
    found: (count) => `問題 ${count} 件：`,
    place: (line, offset) => (offset === undefined ? `${line} 行目` : `${line} 行目、${offset} バイト目`),
    repaired: '修復しました',
    howToRepair: 'データを失わずに修復できるものを修復：  dandori doctor --repair',
    confirm: (what) => `修復しますか？ ${what}`,
    yes: '修復',
    no: 'そのまま',
    kinds: {
      'torn-tail': ['書きかけの最終行', '--repair または次の再開時に削除します。'],
      'trailing-garbage': [
        '最後のイベントの後に不明なデータ',
        '内容を確認してください。--repair は確認後に削除します。',
      ],
      'lost-newline': ['改行のない最終行', 'イベントは完全です。--repair は確認後に改行を補います。'],
      'damaged-line': ['破損した行', `${BACKUP}それまで実行を再開できません。`],
      'missing-line': ['行の欠落', BACKUP],
      'duplicated-line': ['行の重複', '--repair は確認後、コピーを残して一方を削除します。'],
      'misplaced-line': ['行の位置が不正', BACKUP],
      'empty-journal': ['イベントのない実行', 'バックアップから復元するか、削除してください。'],
      'broken-law': [
        'ありえないイベントの並び',
        'ファイルの改変か Dandori の不具合です。`dandori log` の出力を添えて報告してください。',
      ],
      'wrong-head': [
        'イベントと一致しない行',
        'データベースが直接変更されたか、Dandori の不具合です。バックアップから復元するか、報告してください。',
      ],
      'stale-lock': ['終了したプロセスのロック', '--repair で削除します。動作に支障はありません。'],
      'foreign-lock': [
        '別のマシンのプロセスのロック',
        'そのプロセスが存在しない場合は、ファイルを削除してください。',
      ],
      leftover: ['異常終了で残った書きかけのファイル', '`dandori prune` で削除します。'],
      'missing-blob': ['保存済みの結果の欠落', BACKUP],
      'damaged-blob': ['保存済みの結果の破損', BACKUP],
      unreadable: ['読み取れません', 'このユーザーに読み取り権限を付与してください。'],
      permissions: [
        'ほかのユーザーが読み書きできます',
        'chmod 600 を実行してください。--repair は確認後に変更します。',
      ],
    },
  },
  deployment: {
    name: '複数プロセス',
    local: (servers) =>
      `次の stdio サーバーはデータを変更し、データはマシンごとに別々です：${servers}。アドレスを持つサーバーを使ってください。データが共有されている場合は shared: true を設定してください。`,
    unlike: (workers) => `ここの設定は次のプロセスと異なります：${workers}`,
    config: (workers) => `次のプロセスの設定が互いに異なります：${workers}`,
    version: (workers) => `次のプロセスの Dandori のバージョンが異なります：${workers}`,
    clock: (workers) => `次のプロセスの時計がデータベースから 2 秒を超えてずれています：${workers}`,
  },
  migrated: (from, to) =>
    from === to ? `テーブルは最新です（バージョン ${to}）。` : `テーブルをバージョン ${to} に更新しました。`,
  copied: {
    progress: (done, total) => `${total} 件中 ${done} 件…`,
    copied: (runs, conversations, blobs, bytes) =>
      `実行 ${runs} 件、会話 ${conversations} 件、保存済みの結果 ${blobs} 件をコピーしました（${bytes}）。`,
    same: (runs, conversations) => `コピー済み：実行 ${runs} 件、会話 ${conversations} 件`,
    nothing: 'コピーの対象はありません。',
    unfinished: (count) =>
      `未完了の実行を ${count} 件コピーしました。作業が二重に行われないよう、今後は一方のストアだけを使ってください。`,
    left: {
      driven: 'コピーしませんでした（実行中）',
      damaged: 'コピーしませんでした（破損）',
      differs: 'コピーしませんでした（コピー先の内容が異なる）',
      secrets: 'コピーしませんでした（シークレット）',
    },
    bytes: labels.bytes,
  },
  pruned: {
    removed: (runs, blobs, bytes) =>
      `実行 ${runs} 件と保存済みの結果 ${blobs} 件を削除しました（${bytes}）。`,
    wouldRemove: (runs, blobs, bytes) =>
      `削除の対象：実行 ${runs} 件、保存済みの結果 ${blobs} 件（${bytes}）`,
    nothing: '削除の対象はありません。',
    confirm: '完全に削除しますか？',
    yes: '削除',
    no: '残す',
    kept: '何も削除しませんでした。',
    left: { damaged: '残しました（破損）', driven: '残しました（実行中）' },
    blobsLeft: '破損した実行が使う可能性があるため、保存済みの結果も残しました。',
    bytes: labels.bytes,
  },
  reading: (count) => `実行 ${count} 件を読み込み中…`,
  statistics: {
    runs: labels.runs,
    completed: labels.completionRate,
    withParts: (count, parts) => `${count} 件（${parts}）`,
    ofEnded: (rate, count) => `${rate}（終了 ${count} 件中）`,
    duration: labels.duration,
    meanAndMedian: (mean, median) => `平均 ${mean}、中央値 ${median}`,
    modelCalls: labels.modelCalls,
    revisions: labels.revisions,
    perRun: (total, average) => `${total} 回（実行あたり ${average} 回）`,
    tokens: labels.tokens,
    inAndOut: labels.tokensInOut,
    cost: labels.cost,
    timeouts: labels.timeouts,
    satisfaction: labels.averageRating,
    ratings: (mean, count) => `5 段階中 ${mean}（評価 ${count} 件）`,
    tools: 'ツール別のエラー',
    ofCalls: (errors, calls) => `呼び出し ${calls} 回中 ${errors} 回`,
    damaged: (count) => `破損のため集計外の実行 ${count} 件：`,
  },
};
