/** What the CLI says, in the user's language. Technical words (run, task, ids) are the same in both. */
const ENGLISH = {
  planning: 'thinking what to do',
  answering: 'writing the answer',
  planned: (count: number) => `${count} ${count === 1 ? 'task' : 'tasks'} planned`,
  rejected: 'the plan is not valid; asking for a better one',
  retrying: (attempt: number, delay: string) => `attempt ${attempt} failed; again in ${delay}`,
  inDoubt: 'nobody knows whether it took effect',
  blocked: 'not run: something it needs failed',
  resumed: 'taken up again',
  cancelling: 'Cancelling… press Ctrl-C again to quit at once.',
  cancelled: 'Cancelled',
  failed: 'Failed',
  exhausted: 'A limit was reached',
  missing: 'Not done',
  waiting: 'A question waits for you',
  howToAnswer: (run: string, question: string) => `Answer with:  dandori answer ${run} ${question} <answer>`,
  thenResume: (run: string) => `and go on with:  dandori resume ${run}`,
  noLanguageModel:
    'No language model is configured: the built-in planner does what it can. `dandori init` shows how to add one.',
  serverMissing: (server: string) => `${server} is not available`,
  effectUnknown: (name: string, near: string | undefined) =>
    `effects: there is no tool ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
  why: 'why',
  menuTitle: 'These goals work at once, with no key and no network:',
  menuPrompt: 'Goal (a number, or your own words; empty to quit): ',
  menuUsage: 'Give a goal with:  dandori run "…"      All commands:  dandori --help',
  noRuns: 'There are no runs yet. Start one with:  dandori run "100 + 200を計算"',
  noTools: 'No tools are connected.',
  planFits: (count: number) => `The plan is valid: ${count} ${count === 1 ? 'task' : 'tasks'}.`,
  written: (file: string) => `${file} is written. Look into it, then:  dandori run "…"`,
  answered: 'The answer is noted.',
  cancelNoted: 'The run is told to stop.',
  fix: 'What to do',
  more: (count: number) => `… and ${count} more`,
  userConfig: {
    withoutIt: (user: string, detail: string) =>
      `The configuration of user ${user} is not used (${detail}); the run starts with the settings of the file.`,
    refused: (user: string, keys: string) =>
      `The configuration of user ${user} holds what only the file may say; left out: ${keys}`,
  },
  lifted: {
    from: (run: string, outcome: string) => `Lifted from the run ${run} (${outcome}).`,
    inferred: (count: number) =>
      `${count} ${count === 1 ? 'Ref was' : 'Refs were'} inferred, where a value was equal to one in an earlier result. Look at each.`,
    left: (task: string, operation: string, reason: string) => `Left out: ${task} ${operation} (${reason})`,
    redacted: (tasks: string) => `[secret] stands where a secret was sent. Fill it in: ${tasks}`,
    unread: (tasks: string) => `The results could not be read, so no Refs to them were inferred: ${tasks}`,
    was: (path: string, ref: string, value: string) => `${path}: ${ref} was inferred; it was ${value}`,
  },
  rated: (rating: number) => `The rating is noted: ${rating} of 5.`,
  rating: 'Rating',
  reading: (count: number) => `${count} runs read`,
  statistics: {
    runs: 'runs',
    completed: 'completed',
    ofEnded: (count: number) => `of ${count} that have ended`,
    duration: 'duration',
    meanAndMedian: (mean: string, median: string) => `mean ${mean}, median ${median}`,
    modelCalls: 'model calls',
    revisions: 'plan revisions',
    perRun: (total: number, average: string) => `${total} (${average} a run)`,
    tokens: 'tokens',
    inAndOut: (input: string, output: string) => `${input} in, ${output} out`,
    cost: 'cost',
    timeouts: 'time-outs',
    satisfaction: 'satisfaction',
    ratings: (mean: string, count: number) => `${mean} of 5 (${count} ${count === 1 ? 'rating' : 'ratings'})`,
    tools: 'errors by tool',
    ofCalls: (errors: number, calls: number) => `${errors} of ${calls} calls`,
    damaged: (count: number) => `${count} ${count === 1 ? 'run is' : 'runs are'} damaged and not counted:`,
  },
};

export type Texts = typeof ENGLISH;

const JAPANESE: Texts = {
  planning: '段取りを考えています',
  answering: '答えを書いています',
  planned: (count) => `${count}個のタスクを計画しました`,
  rejected: '計画に誤りがあるため、作り直しを求めています',
  retrying: (attempt, delay) => `${attempt}回目は失敗。${delay}後にもう一度`,
  inDoubt: '実行されたかどうか分かりません',
  blocked: '必要なタスクが失敗したため実行しません',
  resumed: '続きから再開しました',
  cancelling: '中止しています… すぐに終えるにはもう一度 Ctrl-C',
  cancelled: '中止しました',
  failed: '失敗しました',
  exhausted: '上限に達しました',
  missing: 'できなかったこと',
  waiting: '質問への答えを待っています',
  howToAnswer: (run, question) => `答えるには:  dandori answer ${run} ${question} <答え>`,
  thenResume: (run) => `続けるには:  dandori resume ${run}`,
  noLanguageModel:
    '言語モデルが設定されていないため、内蔵プランナーができる範囲で行います。追加の方法は `dandori init` で。',
  serverMissing: (server) => `${server} は利用できません`,
  effectUnknown: (name, near) =>
    `effects: ${name} というツールはありません${near === undefined ? '' : `。${near} のことですか?`}`,
  why: '理由',
  menuTitle: '鍵もネットワークもなしですぐに動く目標:',
  menuPrompt: '目標(番号、または自分の言葉。空で終了): ',
  menuUsage: '目標を渡すには:  dandori run "…"      コマンド一覧:  dandori --help',
  noRuns: 'まだ実行がありません。まずは:  dandori run "100 + 200を計算"',
  noTools: '接続されているツールがありません。',
  planFits: (count) => `計画は正しく、タスクは${count}個です。`,
  written: (file) => `${file} を書きました。中を見てから:  dandori run "…"`,
  answered: '答えを記録しました。',
  cancelNoted: '実行に中止を伝えました。',
  fix: '対処',
  more: (count) => `… ほか${count}件`,
  userConfig: {
    withoutIt: (user, detail) => `ユーザー ${user} の設定は使えません(${detail})。ファイルの設定で始めます。`,
    refused: (user, keys) =>
      `ユーザー ${user} の設定のうち、ファイルでしか決められない項目を除きました: ${keys}`,
  },
  lifted: {
    from: (run, outcome) => `実行 ${run} (${outcome}) から起こした計画。`,
    inferred: (count) => `前の結果と等しい値${count}か所をRefとみなしました。確かめてください。`,
    left: (task, operation, reason) => `除いたタスク: ${task} ${operation} (${reason})`,
    redacted: (tasks) => `[secret] の所には秘密の値がありました。書き入れてください: ${tasks}`,
    unread: (tasks) => `結果を読めなかったため、Refを推定していません: ${tasks}`,
    was: (path, ref, value) => `${path}: ${ref} と推定。元の値は ${value}`,
  },
  rated: (rating) => `評価を記録しました: 5段階で${rating}`,
  rating: '評価',
  reading: (count) => `${count}件の実行を読みました`,
  statistics: {
    runs: '実行',
    completed: '完了率',
    ofEnded: (count) => `終了した${count}件のうち`,
    duration: '所要時間',
    meanAndMedian: (mean, median) => `平均 ${mean}、中央値 ${median}`,
    modelCalls: 'モデル呼び出し',
    revisions: '計画の改訂',
    perRun: (total, average) => `${total}(1実行あたり${average})`,
    tokens: 'トークン',
    inAndOut: (input, output) => `入力 ${input}、出力 ${output}`,
    cost: '費用',
    timeouts: 'タイムアウト',
    satisfaction: '満足度',
    ratings: (mean, count) => `5段階で${mean}(評価${count}件)`,
    tools: 'ツール別のエラー',
    ofCalls: (errors, calls) => `${calls}回の呼び出しのうち${errors}回`,
    damaged: (count) => `${count}件の実行は壊れているため数えていません:`,
  },
};

/** The configuration decides, then the environment; a goal in Japanese speaks for itself. */
export function textsFor({ language, goal = '' }: { language?: string | undefined; goal?: string }): Texts {
  if (language !== undefined) return language === 'ja' ? JAPANESE : ENGLISH;
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(goal)) return JAPANESE;
  const locale = process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '';
  return goal === '' && locale.startsWith('ja') ? JAPANESE : ENGLISH;
}
