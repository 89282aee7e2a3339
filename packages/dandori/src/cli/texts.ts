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
  calls: (calls: number, reads: number, writes: number) => `${calls} calls: ${reads} reads, ${writes} writes`,
  irreversible: (ids: string) => `irreversible: ${ids}`,
  longestPath: (ids: string) => `longest path: ${ids}`,
  time: (times: string) => `time: ${times}`,
  expected: (time: string) => `expected ${time}`,
  atWorst: (time: string) => `at worst ${time}`,
  cost: (once: string, atWorst: string) => `cost: ${once}, at worst ${atWorst}`,
  wholePlan: 'the whole plan',
  comma: ', ',
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
  calls: (calls, reads, writes) => `呼び出し${calls}回: 読み取り${reads}、書き込み${writes}`,
  irreversible: (ids) => `取り消せないもの: ${ids}`,
  longestPath: (ids) => `最長経路: ${ids}`,
  time: (times) => `時間: ${times}`,
  expected: (time) => `見込み ${time}`,
  atWorst: (time) => `最悪 ${time}`,
  cost: (once, atWorst) => `費用: ${once}、最悪 ${atWorst}`,
  wholePlan: '計画全体',
  comma: '、',
};

/** The configuration decides, then the environment; a goal in Japanese speaks for itself. */
export function textsFor({ language, goal = '' }: { language?: string | undefined; goal?: string }): Texts {
  if (language !== undefined) return language === 'ja' ? JAPANESE : ENGLISH;
  if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(goal)) return JAPANESE;
  const locale = process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '';
  return goal === '' && locale.startsWith('ja') ? JAPANESE : ENGLISH;
}
