/** What the CLI says of tools and of a call that somebody is asked about. */
export const CALLS_ENGLISH = {
  serverMissing: (server: string) => `${server} is not available`,
  effectUnknown: (name: string, near: string | undefined) =>
    `effects: there is no tool ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
  probeUnfit: (name: string, probe: string, isThere: boolean) =>
    `effects: ${name} cannot be looked for with ${probe}: ${isThere ? 'that is no read' : 'there is no such tool'}`,
  /** As they stand in the question. */
  contextNames: { done: 'calls done', open: 'call in doubt' } as Readonly<Record<string, string>>,
};

export const CALLS_JAPANESE: typeof CALLS_ENGLISH = {
  serverMissing: (server) => `${server} は利用できません`,
  effectUnknown: (name, near) =>
    `effects: ${name} というツールはありません${near === undefined ? '' : `。${near} のことですか？`}`,
  probeUnfit: (name, probe, isThere) =>
    `effects: ${name} は ${probe} では確かめられません: ${isThere ? '読み取りではありません' : 'そのツールがありません'}`,
  contextNames: {
    effect: '種類',
    attempt: '試行',
    input: '入力',
    key: '冪等キー',
    called: '呼び出した時刻',
    cause: '理由',
    probe: '確認',
    done: '完了した呼び出し',
    open: '結果が不明な呼び出し',
  },
};
