import type { Limit } from '#dandori/model/decision.ts';
import type { ErrorCode } from '#dandori/model/error.ts';
import type { Purpose } from '#dandori/model/event.ts';
import type { FailureKind } from '#dandori/model/failure.ts';
import type { Effect } from '#dandori/model/tool.ts';
import type { Texts } from '../shell/language.tsx';

/** Words of the domain that several views say. */
export interface Words {
  readonly effects: Readonly<Record<Effect, string>>;
  readonly purposes: Readonly<Record<Purpose, string>>;
  /** What went wrong, and what can be done about it. */
  readonly failures: Readonly<Record<FailureKind, readonly [what: string, fix: string | undefined]>>;
  readonly limits: Readonly<Record<Limit, string>>;
  /** Of errors that the server tells in the words of programs. */
  readonly errors: Readonly<Partial<Record<ErrorCode, readonly [what: string, fix: string]>>>;
  readonly copy: string;
  readonly copied: string;
  readonly all: (characters: number) => string;
  readonly less: string;
  readonly more: (count: number) => string;
}

export const words: Texts<Words> = {
  en: {
    effects: {
      read: 'reads only',
      idempotent: 'writes, safe to repeat',
      write: 'writes',
      destructive: 'cannot be undone',
    },
    purposes: {
      act: 'What next?',
      generate: 'The tasks of a step',
      answer: 'The answer',
      conclude: 'An answer with what is there',
    },
    failures: {
      tool_error: ['The tool said no', 'Look at the message of the tool; correct the arguments or the tool.'],
      timeout: ['It took too long', 'Raise the time-out of the task, or of execution.task_timeout.'],
      unavailable: ['The tool is not available', 'See under Tools whether its server runs.'],
      invalid_args: ['The arguments do not fit the tool', 'Correct them in the plan and fork the run.'],
      invalid_result: ['The result does not fit what the tool promises', 'The tool must be mended.'],
      unexpected: [
        'The result is not what the plan expects',
        'Look at the result, and at `expect` in the plan.',
      ],
      too_large: ['The result is too large', 'Ask the tool for less at once.'],
      rejected: ['A person said no', undefined],
      cancelled: ['It was cancelled', undefined],
      model_error: [
        'The language model could not be used',
        'Look at its key, its address and its limits, then fork.',
      ],
      unusable_output: [
        'The model answered in a form that cannot be used',
        'Try again, or use another model.',
      ],
      plan_error: ['No valid plan could be made', 'Say the goal more exactly, or give a plan of your own.'],
      not_possible: ['It cannot be done with these tools', 'Add the tools that are missing.'],
    },
    limits: {
      steps: 'the decisions that may add tasks',
      calls: 'the calls of the model',
      tasks: 'the number of tasks',
      time: 'the time',
      cost: 'the cost',
      tokens: 'the tokens',
      revisions: 'the changes of the plan',
      loop: 'going in circles',
    },
    errors: {
      'run-not-found': ['There is no such run, or it is not yours.', 'Look for it among your runs.'],
      'conversation-not-found': [
        'There is no such conversation, or it is not yours.',
        'Look for it among your conversations.',
      ],
      'server-stopping': [
        'The server is stopping and takes nothing new.',
        'Send it again when the server is back; it will not be done twice.',
      ],
      'server-unreachable': [
        'The server does not answer.',
        'Send it again when the server is back; it will not be done twice.',
      ],
      'too-many-requests': ['This was too much at once.', 'Wait a moment and try again.'],
      unauthorized: ['The server does not know your token any more.', 'Enter a token that it knows.'],
    },
    copy: 'Copy',
    copied: 'Copied',
    all: (characters) => `The whole text (${characters.toLocaleString('en')} characters)`,
    less: 'Show less',
    more: (count) => `${count} more`,
  },
  ja: {
    effects: {
      read: '読み取りのみ',
      idempotent: '繰り返しても同じ書き込み',
      write: '書き込み',
      destructive: '取り消せない変更',
    },
    purposes: {
      act: '次に何をするか',
      generate: 'ステップのタスク作り',
      answer: '答え',
      conclude: 'ここまでの結果での答え',
    },
    failures: {
      tool_error: ['ツールがエラーを返しました', 'ツールの言葉を見て、引数かツールを直してください。'],
      timeout: [
        '時間内に終わりませんでした',
        'タスクの timeout か execution.task_timeout を延ばしてください。',
      ],
      unavailable: ['ツールが利用できません', '「ツール」の画面でサーバーの状態を確かめてください。'],
      invalid_args: ['引数がツールに合いません', '計画の引数を直して、分岐してください。'],
      invalid_result: ['結果がツールの約束した形と違います', 'ツールの修正が必要です。'],
      unexpected: ['結果が計画の期待と違います', '結果と、計画の `expect` を見比べてください。'],
      too_large: ['結果が大きすぎます', '一度に求める量を減らしてください。'],
      rejected: ['人が断りました', undefined],
      cancelled: ['中止されました', undefined],
      model_error: ['言語モデルを使えませんでした', '鍵・接続先・利用上限を確かめてから、分岐してください。'],
      unusable_output: ['モデルの返答を読み取れませんでした', 'もう一度試すか、別のモデルを使ってください。'],
      plan_error: ['正しい計画を作れませんでした', '目標をより具体的に書くか、自分で計画を渡してください。'],
      not_possible: ['今あるツールではできません', '足りないツールを追加してください。'],
    },
    limits: {
      steps: 'タスクを増やす判断の回数',
      calls: 'モデル呼び出しの回数',
      tasks: 'タスクの数',
      time: '時間',
      cost: '費用',
      tokens: 'トークン数',
      revisions: '計画変更の回数',
      loop: '同じことの繰り返し',
    },
    errors: {
      'run-not-found': [
        'この実行は存在しないか、あなたのものではありません。',
        '実行の一覧から探してください。',
      ],
      'conversation-not-found': [
        'この会話は存在しないか、あなたのものではありません。',
        '会話の一覧から探してください。',
      ],
      'server-stopping': [
        'サーバーは停止しようとしており、新しい依頼を受け付けません。',
        'サーバーが再開したら、もう一度送ってください。二重に実行されることはありません。',
      ],
      'server-unreachable': [
        'サーバーから応答がありません。',
        'サーバーが再開したら、もう一度送ってください。二重に実行されることはありません。',
      ],
      'too-many-requests': ['一度に送りすぎました。', '少し待ってから、もう一度試してください。'],
      unauthorized: [
        'サーバーはこのトークンを知らなくなりました。',
        'サーバーが知っているトークンを入力してください。',
      ],
    },
    copy: 'コピー',
    copied: 'コピーしました',
    all: (characters) => `全文を表示 (${characters.toLocaleString('ja')}文字)`,
    less: '折りたたむ',
    more: (count) => `ほか${count}件`,
  },
};
