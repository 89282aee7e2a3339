import type { HistoryTexts } from '../en/history.ts';
import { labels } from './labels.ts';
import { words } from './words.ts';

export const history: HistoryTexts = {
  lifted: {
    from: (run, outcome) => `実行 ${run}（${outcome}）から保存した計画。`,
    notOrdered: (tasks) =>
      `外部コンテンツを読んだ後にモデルが決め、あなたが承認した呼び出しがあります：${tasks}。この計画を実行するとあなたの指示として扱われるので、確認してください。`,
    inferred: (count) => `前の結果と同じ値 ${count} か所を参照に置き換えました。確認してください。`,
    left: (task, operation, reason) => `除外：${task} ${operation}（${reason}）`,
    redacted: (tasks) => `[secret] を実際の値に置き換えてください：${tasks}`,
    unread: (tasks) => `結果を読み取れないため、参照を推定していません：${tasks}`,
    was: (path, ref, value) => `${path}：${ref} と推定。元の値は ${value}`,
  },
  history: {
    none: '計画はまだありません。',
    version: labels.planVersion,
    by: labels.planBy,
    accepted: '採用',
    rejected: words.statuses.rejected,
    replaced: words.statuses.replaced,
    open: '未承認',
    reflected: (trigger, status) =>
      trigger === 'evaluation'
        ? labels.criteriaUnmet
        : `${labels.reflection}（${trigger === 'error' ? '失敗後' : '定期'}）：${words.reflections[status]}`,
    now: (version, status) => `現在の計画（${version}、${status}）`,
    changed: (reason, changes) => `${reason}（${changes}）`,
  },
  replayed: {
    proved: (events, derived) => `イベント ${events} 件を検証しました（再計算 ${derived} 件）。`,
    differs: (count) => `イベント ${count} 件が再計算の結果と一致しません：`,
    unproved: (count) => `保存済みの結果がないため、イベント ${count} 件を検証できません：`,
    upTo: (seq, events) => `イベント ${seq} の時点（全 ${events} 件）`,
  },
  forked: {
    from: (run, seq) => `${run} のイベント ${seq} から分岐しました。`,
    settled: (tasks) => `分岐時に実行中のため、元の実行の結果を引き継ぎました：${tasks}`,
    later: labels.forkRepeats,
  },
  differing: {
    same: '差分はありません。',
    common: (seq) => `イベント ${seq} までは同じです。`,
    kinds: { ...words.differences, time: `${labels.time}（差分に含めません）` },
  },
  recorded: {
    from: (run) => `実行 ${run} から保存。dandori/testing の runCase で実行できます。`,
    inexact: (decisions) =>
      `古いバージョンの実行のため、次の判断のアクションがジャーナルにありません：${decisions}。テストが通るか確認してください。`,
    unknown: (tools) => `接続されていないツールの引数はチェックしません：${tools}`,
  },
};
