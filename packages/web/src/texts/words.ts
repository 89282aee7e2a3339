import type { DrivingState } from 'dandori/client';
import type { ErrorCode } from '#dandori/model/error.ts';
import { isAboutStep, type Question } from '#dandori/model/question.ts';
import { words as english, type Words as SharedWords, type Status } from '#dandori/views/texts/en/words.ts';
import { words as japanese } from '#dandori/views/texts/ja/words.ts';
import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';

export type { Status };

/** Words that several views use. Those for statuses, effects, modes and the like are shared with the command line. */
export interface Words extends SharedWords {
  readonly loading: string;
  /** Errors for which the server has only technical words. */
  readonly errors: Readonly<Partial<Record<ErrorCode, readonly [what: string, fix: string]>>>;
  readonly outdated: readonly [what: string, fix: string];
  readonly status: string;
  readonly allOfThem: string;
  readonly copy: string;
  readonly copied: string;
  readonly close: string;
  readonly send: string;
  readonly thinking: string;
  readonly attachments: string;
  readonly attach: string;
  readonly detach: (name: string) => string;
  readonly reason: string;
  readonly reasoning: string;
  readonly wholeText: (characters: number) => string;
  readonly less: string;
  readonly more: (count: number) => string;
  readonly loadMore: string;
  readonly tasks: (count: number) => string;
  /** Between a label and its text. */
  readonly colon: string;
  readonly steps: (count: number) => string;
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

/** What the user is asked for. The model asks for missing info also with a choice. */
export function shownKind(question: Pick<Question, 'kind' | 'context' | 'options'>): Question['kind'] {
  const { kind, options = [] } = question;
  if (isAboutStep(question)) return 'plan_approval';
  return kind === 'missing_input' && options.length > 0 ? 'ambiguity' : kind;
}

const en: Words = {
  ...english,
  loading: 'Loading…',
  errors: {
    'run-not-found': ['This run does not exist, or it is not yours.', 'Find it in your list of runs.'],
    'conversation-not-found': [
      'This conversation does not exist, or it is not yours.',
      'Find it in your list of conversations.',
    ],
    'server-stopping': ['The server is stopping and accepts no new requests.', labels.en.sendAgain],
    'server-unreachable': [labels.en.serverSilent, labels.en.sendAgain],
    'too-many-requests': [labels.en.tooManyRequests, labels.en.waitAndRetry],
    unauthorized: [labels.en.tokenInvalid, 'Sign in again.'],
  },
  outdated: ['The server was updated after this page was loaded.', 'Reload the page.'],
  status: labels.en.status,
  allOfThem: 'All',
  copy: 'Copy',
  copied: 'Copied',
  close: labels.en.close,
  send: 'Send',
  thinking: labels.en.thinking,
  attachments: 'Attached files',
  attach: 'Attach files',
  detach: (name) => `Remove ${name}`,
  reason: labels.en.reasonOptional,
  reasoning: 'Reasoning',
  wholeText: (characters) => `Show all (${characters.toLocaleString('en')} characters)`,
  less: 'Show less',
  more: (count) => `${count} more`,
  loadMore: 'Load more',
  tasks: labels.en.taskCount,
  colon: ': ',
  steps: labels.en.stepCount,
  attempt: (number) => `Attempt ${number}`,
  decision: (number) => `Decision ${number}`,
  by: (user) => `by ${user}`,
  noPlan: 'No plan',
  noTools: 'No tools connected. Add MCP servers (mcpServers) or services to dandori.yaml.',
  checking: 'Checking…',
  valid: 'Plan is valid',
  problems: (count) => (count === 1 ? '1 problem' : `${count} problems`),
  rated: (rating) => `Rated ${rating} of 5`,
  paused: (by, reason) =>
    `Paused${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${reason}`}`,
  cancelled: (reason) => `Cancelled: ${reason}`,
  forkedAt: (seq) => `Forked at event ${seq} of`,
  laterCalls: labels.en.forkRepeats,
  passedOn: (run) => `Passed on by the model of run ${run}`,
};

const ja: Words = {
  ...japanese,
  loading: '読み込み中…',
  errors: {
    'run-not-found': ['この実行は存在しないか、閲覧権限がありません。', '実行の一覧から探してください。'],
    'conversation-not-found': [
      'この会話は存在しないか、閲覧権限がありません。',
      '会話の一覧から探してください。',
    ],
    'server-stopping': ['サーバーが停止処理中のため、受け付けできません。', labels.ja.sendAgain],
    'server-unreachable': [labels.ja.serverSilent, labels.ja.sendAgain],
    'too-many-requests': [labels.ja.tooManyRequests, labels.ja.waitAndRetry],
    unauthorized: [labels.ja.tokenInvalid, 'もう一度サインインしてください。'],
  },
  outdated: ['ページの表示後にサーバーが更新されました。', 'ページを再読み込みしてください。'],
  status: labels.ja.status,
  allOfThem: 'すべて',
  copy: 'コピー',
  copied: 'コピーしました',
  close: labels.ja.close,
  send: '送信',
  thinking: labels.ja.thinking,
  attachments: '添付ファイル',
  attach: 'ファイルを添付',
  detach: (name) => `${name} を外す`,
  reason: labels.ja.reasonOptional,
  reasoning: '判断理由',
  wholeText: (characters) => `全文を表示（${characters.toLocaleString('ja')} 文字）`,
  less: '折りたたむ',
  more: (count) => `ほか ${count} 件`,
  loadMore: 'さらに表示',
  tasks: labels.ja.taskCount,
  colon: '：',
  steps: labels.ja.stepCount,
  attempt: (number) => `${number} 回目`,
  decision: (number) => `判断 ${number}`,
  by: (user) => user,
  noPlan: '計画はありません',
  noTools: 'ツールがありません。dandori.yaml に MCP サーバー（mcpServers）かサービスを追加してください。',
  checking: 'チェック中…',
  valid: '計画に問題はありません',
  problems: (count) => `問題 ${count} 件`,
  rated: (rating) => `評価 ${rating} / 5`,
  paused: (by, reason) =>
    `${by === undefined ? '' : `${by} が`}一時停止${reason === undefined ? '' : `：${reason}`}`,
  cancelled: (reason) => `中止：${reason}`,
  forkedAt: (seq) => `イベント ${seq} で分岐。元の実行：`,
  laterCalls: labels.ja.forkRepeats,
  passedOn: (run) => `実行 ${run} のモデルからの伝言`,
};

export const words: Texts<Words> = { en, ja };
