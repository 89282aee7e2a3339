/** What `serve` and `token` say, and what is said of a collector that takes no traces. */
export const ENGLISH_SERVING = {
  at: (url: string) => `Dandori serves ${url}  (the API: ${url}/docs)`,
  open: 'There are no tokens: whoever works on this machine may do everything. `dandori token` makes one.',
  stopping: (seconds: number) =>
    `Stopping. Running calls have ${seconds} s; everything else goes on at the next start.`,
  tokenMade: 'The token. It is shown this once; whoever has it is this user:',
  tokenEntry: 'What goes under server.tokens in dandori.yaml:',
  untraced: (detail: string) =>
    `Traces cannot be sent to the OpenTelemetry collector: ${detail}. Runs go on all the same.`,
};

export const JAPANESE_SERVING: typeof ENGLISH_SERVING = {
  at: (url) => `Dandori サーバー: ${url}  (API: ${url}/docs)`,
  open: 'トークンがないため、このマシンの誰でもすべて操作できます。作るには `dandori token`。',
  stopping: (seconds) => `停止します。実行中の呼び出しは${seconds}秒待ち、残りは次の起動で続けます。`,
  tokenMade: 'トークンです。表示は一度だけで、持つ人がこのユーザーになります:',
  tokenEntry: 'dandori.yaml の server.tokens に書く行:',
  untraced: (detail) => `トレースをOpenTelemetryのコレクターに送れません: ${detail}。実行には影響しません。`,
};
