/** How things stand, in the words of the journal; whoever reads Japanese reads them in Japanese. `--json` keeps ours. */
export const STATUS_ENGLISH = {
  status: (word: string) => word,
};

const JAPANESE: Readonly<Record<string, string>> = {
  pending: '待機中',
  ready: '実行可能',
  running: '実行中',
  retrying: '再試行待ち',
  waiting: '回答待ち',
  in_doubt: '結果不明',
  expanding: '進行中',
  succeeded: '完了',
  failed: '失敗',
  blocked: '実行不可',
  skipped: '未実行',
  open: '進行中',
  paused: '一時停止',
  answered: '回答済み',
  cancelled: '中止',
  exhausted: '上限に到達',
  damaged: '破損',
  draft: '下書き',
  approved: '承認済み',
  in_progress: '進行中',
  completed: '完了',
};

export const STATUS_JAPANESE: typeof STATUS_ENGLISH = {
  status: (word) => JAPANESE[word] ?? word,
};
