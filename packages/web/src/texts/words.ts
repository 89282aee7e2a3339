import type { DrivingState, RunPage } from 'dandori/client';
import type { Limit } from '#dandori/model/decision.ts';
import type { ErrorCode } from '#dandori/model/error.ts';
import type { Purpose } from '#dandori/model/event.ts';
import type { FailureKind } from '#dandori/model/failure.ts';
import type { Question } from '#dandori/model/question.ts';
import type { ApprovalPolicy, Mode } from '#dandori/model/settings.ts';
import type { Effect } from '#dandori/model/tool.ts';
import type { TaskStatus } from '#dandori/run/state/state.ts';
import type { Texts } from '../shell/language.tsx';

/** Of a task or a run. A run that is open may also be `queued` or `interrupted`. */
export type Status = TaskStatus | RunPage['runs'][number]['status'] | 'skipped' | 'queued' | 'interrupted';

/** What happened, and what to do about it. */
type Advice = readonly [what: string, fix?: string];

/** Words that several views use. */
export interface Words {
  readonly loading: string;
  readonly statuses: Readonly<Record<Status, string>>;
  readonly effects: Readonly<Record<Effect, string>>;
  readonly modes: Readonly<Record<Mode, string>>;
  readonly approvals: Readonly<Record<ApprovalPolicy, string>>;
  readonly questionKinds: Readonly<Record<Question['kind'], string>>;
  readonly purposes: Readonly<Record<Purpose, string>>;
  readonly failures: Readonly<Record<FailureKind, Advice>>;
  readonly limits: Readonly<Record<Limit, string>>;
  /** Errors for which the server has only technical words. */
  readonly errors: Readonly<Partial<Record<ErrorCode, Advice>>>;
  readonly status: string;
  readonly allOfThem: string;
  readonly copy: string;
  readonly copied: string;
  readonly close: string;
  readonly send: string;
  readonly answer: string;
  readonly thinking: string;
  readonly reason: string;
  readonly reasoning: string;
  readonly replaced: string;
  readonly wholeText: (characters: number) => string;
  readonly less: string;
  readonly more: (count: number) => string;
  readonly loadMore: string;
  readonly tasks: (count: number) => string;
  readonly attempt: (number: number | string) => string;
  readonly decision: (number: number | string) => string;
  readonly by: (user: string) => string;
  readonly noPlan: string;
  readonly noTools: string;
  readonly checking: string;
  readonly valid: string;
  readonly problems: (count: number) => string;
  readonly rated: (rating: number) => string;
  readonly paused: (by: string | undefined, reason: string | undefined) => string;
  readonly cancelled: (reason: string) => string;
  readonly forkedAt: (seq: number) => string;
  readonly laterCalls: string;
  readonly passedOn: (run: string) => string;
}

/** The status of a run that is open, by what the server does with it. */
export const DRIVING_STATUS: Readonly<Record<DrivingState, Status>> = {
  driving: 'open',
  queued: 'queued',
  idle: 'interrupted',
  retrying: 'retrying',
};

const en: Words = {
  loading: 'Loading…',
  statuses: {
    pending: 'Pending',
    ready: 'Ready',
    running: 'Running',
    retrying: 'Retrying',
    waiting: 'Waiting for an answer',
    in_doubt: 'Unconfirmed',
    expanding: 'In progress',
    succeeded: 'Done',
    failed: 'Failed',
    blocked: 'Blocked',
    skipped: 'Skipped',
    open: 'Running',
    queued: 'Queued',
    interrupted: 'Interrupted',
    paused: 'Paused',
    answered: 'Done',
    cancelled: 'Cancelled',
    exhausted: 'Limit reached',
    damaged: 'Damaged',
  },
  effects: {
    read: 'Read',
    idempotent: 'Retry-safe write',
    write: 'Write',
    destructive: 'Destructive',
  },
  modes: {
    auto: 'Auto',
    direct: 'Direct',
    adaptive: 'Adaptive',
    planned: 'Planned',
    hierarchical: 'Hierarchical',
  },
  approvals: {
    never: 'Never',
    destructive: 'Destructive calls',
    writes: 'Writes',
    plan: 'Plan',
    always: 'Every call',
  },
  questionKinds: {
    ambiguity: 'Choice',
    approval: 'Call approval',
    elicitation: 'Tool question',
    missing_input: 'Missing info',
    in_doubt: 'Outcome check',
    plan_approval: 'Plan approval',
  },
  purposes: {
    act: 'Next action',
    generate: 'Tasks of a step',
    answer: 'Final answer',
    conclude: 'Final answer from what is there',
  },
  failures: {
    tool_error: ['The tool returned an error', 'Read its message, then fix the arguments or the tool.'],
    timeout: ['Timed out', 'Raise the timeout of the task, or execution.task_timeout.'],
    unavailable: ['The tool is not available', 'Check its server under Tools.'],
    invalid_args: ['Invalid arguments', 'Fix them in the plan and fork the run.'],
    invalid_result: ['The result does not match the schema of the tool', 'Fix the tool.'],
    unexpected: ['The result is not what the plan expects', 'Compare it with `expect` in the plan.'],
    too_large: ['The result is too large', 'Ask the tool for less at once.'],
    rejected: ['Rejected'],
    cancelled: ['Cancelled'],
    model_error: ['The model could not be used', 'Check its API key, address and limits, then fork.'],
    unusable_output: ["The model's output could not be read", 'Retry, or use another model.'],
    plan_error: ['No valid plan could be made', 'Describe the goal more precisely, or use a plan file.'],
    not_possible: ['These tools are not enough', 'Add the missing tools.'],
  },
  limits: {
    steps: 'steps',
    calls: 'model calls',
    tasks: 'tasks',
    time: 'time',
    cost: 'cost',
    tokens: 'tokens',
    revisions: 'revisions',
    loop: 'loop',
  },
  errors: {
    'run-not-found': ['This run does not exist, or it is not yours.', 'Find it in your list of runs.'],
    'conversation-not-found': [
      'This conversation does not exist, or it is not yours.',
      'Find it in your list of conversations.',
    ],
    'server-stopping': [
      'The server is stopping and accepts no new requests.',
      'Send again when the server is back. Nothing is done twice.',
    ],
    'server-unreachable': [
      'The server does not respond.',
      'Send again when the server is back. Nothing is done twice.',
    ],
    'too-many-requests': ['Too many requests.', 'Wait a moment, then retry.'],
    unauthorized: ['Your access token is no longer valid.', 'Sign in again.'],
  },
  status: 'Status',
  allOfThem: 'All',
  copy: 'Copy',
  copied: 'Copied',
  close: 'Close',
  send: 'Send',
  answer: 'Answer',
  thinking: 'Thinking…',
  reason: 'Reason (optional)',
  reasoning: 'Reasoning',
  replaced: 'Replaced',
  wholeText: (characters) => `Show all (${characters.toLocaleString('en')} characters)`,
  less: 'Show less',
  more: (count) => `${count} more`,
  loadMore: 'Load more',
  tasks: (count) => (count === 1 ? '1 task' : `${count} tasks`),
  attempt: (number) => `Attempt ${number}`,
  decision: (number) => `Decision ${number}`,
  by: (user) => `by ${user}`,
  noPlan: 'No plan yet',
  noTools: 'No tools connected. Add MCP servers (mcpServers) or services to dandori.yaml.',
  checking: 'Checking…',
  valid: 'Plan is valid',
  problems: (count) => (count === 1 ? '1 problem' : `${count} problems`),
  rated: (rating) => `Rated ${rating} of 5`,
  paused: (by, reason) =>
    `Paused${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${reason}`}`,
  cancelled: (reason) => `Cancelled: ${reason}`,
  forkedAt: (seq) => `Forked at event ${seq} of`,
  laterCalls: 'The original run made these calls later. The fork may repeat them:',
  passedOn: (run) => `Passed on by the model of run ${run}`,
};

const ja: Words = {
  loading: '読み込み中…',
  statuses: {
    pending: '待機中',
    ready: '開始待ち',
    running: '実行中',
    retrying: '再試行待ち',
    waiting: '回答待ち',
    in_doubt: '結果不明',
    expanding: '進行中',
    succeeded: '完了',
    failed: '失敗',
    blocked: '依存先が失敗',
    skipped: 'スキップ',
    open: '実行中',
    queued: '順番待ち',
    interrupted: '中断中',
    paused: '一時停止中',
    answered: '完了',
    cancelled: '中止',
    exhausted: '上限到達',
    damaged: '破損',
  },
  effects: {
    read: '読み取り',
    idempotent: '再試行可の書き込み',
    write: '書き込み',
    destructive: '取り消し不可',
  },
  modes: {
    auto: '自動',
    direct: '即答',
    adaptive: '逐次',
    planned: '一括計画',
    hierarchical: '段階計画',
  },
  approvals: {
    never: '確認しない',
    destructive: '取り消し不可のみ',
    writes: '書き込み',
    plan: '計画',
    always: 'すべて',
  },
  questionKinds: {
    ambiguity: '選択',
    approval: '呼び出しの承認',
    elicitation: 'ツールからの質問',
    missing_input: '不足情報',
    in_doubt: '結果の確認',
    plan_approval: '計画の承認',
  },
  purposes: {
    act: '次の行動',
    generate: 'ステップのタスク',
    answer: '最終回答',
    conclude: '現時点の結果での最終回答',
  },
  failures: {
    tool_error: ['ツールがエラーを返しました', 'メッセージを確認し、引数かツールを修正してください。'],
    timeout: ['タイムアウトしました', 'タスクの timeout か execution.task_timeout を延ばしてください。'],
    unavailable: ['ツールを利用できません', '「ツール」でサーバーの状態を確認してください。'],
    invalid_args: ['引数が正しくありません', '計画の引数を修正して、分岐してください。'],
    invalid_result: ['結果がツールのスキーマと一致しません', 'ツールを修正してください。'],
    unexpected: ['結果が計画の想定と異なります', '計画の `expect` と見比べてください。'],
    too_large: ['結果が大きすぎます', '一度に取得する量を減らしてください。'],
    rejected: ['却下されました'],
    cancelled: ['中止されました'],
    model_error: ['モデルを利用できません', 'API キー・接続先・利用上限を確認して、分岐してください。'],
    unusable_output: ['モデルの出力を読み取れません', '再試行するか、別のモデルを使ってください。'],
    plan_error: ['計画を作成できません', '目標を具体的に書くか、計画ファイルを使ってください。'],
    not_possible: ['今あるツールでは実行できません', '不足しているツールを追加してください。'],
  },
  limits: {
    steps: 'ステップ数',
    calls: 'モデル呼び出し回数',
    tasks: 'タスク数',
    time: '時間',
    cost: '費用',
    tokens: 'トークン数',
    revisions: '計画の修正回数',
    loop: 'ループ',
  },
  errors: {
    'run-not-found': ['この実行は存在しないか、閲覧権限がありません。', '実行の一覧から探してください。'],
    'conversation-not-found': [
      'この会話は存在しないか、閲覧権限がありません。',
      '会話の一覧から探してください。',
    ],
    'server-stopping': [
      'サーバーが停止中のため、受け付けできません。',
      'サーバーの復帰後に再送信してください。二重には実行されません。',
    ],
    'server-unreachable': [
      'サーバーから応答がありません。',
      'サーバーの復帰後に再送信してください。二重には実行されません。',
    ],
    'too-many-requests': ['リクエストが多すぎます。', '少し待ってから再試行してください。'],
    unauthorized: ['アクセストークンが無効になりました。', 'もう一度サインインしてください。'],
  },
  status: '状態',
  allOfThem: 'すべて',
  copy: 'コピー',
  copied: 'コピーしました',
  close: '閉じる',
  send: '送信',
  answer: '回答',
  thinking: '検討中…',
  reason: '理由（任意）',
  reasoning: '判断理由',
  replaced: '差し替え済み',
  wholeText: (characters) => `全文を表示（${characters.toLocaleString('ja')} 文字）`,
  less: '折りたたむ',
  more: (count) => `ほか ${count} 件`,
  loadMore: 'さらに表示',
  tasks: (count) => `タスク ${count} 件`,
  attempt: (number) => `${number} 回目`,
  decision: (number) => `判断 ${number}`,
  by: (user) => `${user} さん`,
  noPlan: '計画はまだありません',
  noTools: 'ツールがありません。dandori.yaml に MCP サーバー（mcpServers）かサービスを追加してください。',
  checking: 'チェック中…',
  valid: '計画に問題はありません',
  problems: (count) => `問題 ${count} 件`,
  rated: (rating) => `評価 ${rating} / 5`,
  paused: (by, reason) =>
    `${by === undefined ? '' : `${by} さんが`}一時停止${reason === undefined ? '' : `：${reason}`}`,
  cancelled: (reason) => `中止：${reason}`,
  forkedAt: (seq) => `イベント ${seq} で分岐。元の実行：`,
  laterCalls: '元の実行が分岐後に行った呼び出しです。重複する可能性があります：',
  passedOn: (run) => `実行 ${run} のモデルからの伝言`,
};

export const words: Texts<Words> = { en, ja };
