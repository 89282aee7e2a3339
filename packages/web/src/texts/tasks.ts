import type { FactOf } from '#dandori/model/event.ts';
import type { Column, StatusFilter } from '../run/tasks/task-rows.ts';
import type { Texts } from '../shell/language.tsx';

interface TaskTexts {
  readonly table: string;
  readonly none: string;
  readonly search: string;
  readonly status: string;
  readonly filters: Readonly<Record<StatusFilter, string>>;
  readonly count: (shown: number, all: number) => string;
  readonly columns: Readonly<Record<Column, string>>;
  readonly sortBy: (column: string) => string;
  readonly replaced: string;
  readonly gone: string;
  readonly step: string;
  readonly needs: string;
  readonly waits: string;
  readonly why: string;
  readonly timeout: string;
  readonly expect: string;
  readonly key: string;
  readonly written: string;
  readonly sent: string;
  readonly sameAsWritten: string;
  readonly result: string;
  readonly note: string;
  readonly attempts: string;
  readonly attempt: (number: number) => string;
  readonly calls: (count: number) => string;
  readonly underWay: string;
  readonly inDoubt: Readonly<Record<FactOf<'task_in_doubt'>['data']['cause'], string>>;
  readonly unstopped: string;
  readonly probe: (operation: string) => string;
  readonly found: Readonly<Record<FactOf<'probe_ended'>['data']['found'], string>>;
  readonly asked: string;
  readonly tasksOf: (count: number) => string;
  readonly bytes: (count: string) => string;
  readonly whole: string;
  readonly items: (from: number, to: number, total: number) => string;
  readonly characters: (from: number, to: number, total: number) => string;
  readonly kinds: {
    readonly list: (count: number) => string;
    readonly object: (count: number) => string;
    readonly text: (count: number) => string;
  };
  readonly previous: string;
  readonly next: string;
  readonly goTask: (id: string) => string;
}

export const texts: Texts<TaskTexts> = {
  en: {
    table: 'Tasks of the run',
    none: 'No task fits.',
    search: 'Find a task',
    status: 'Status',
    filters: {
      all: 'All',
      active: 'Under way',
      waiting: 'Waiting for a person',
      failed: 'Failed or blocked',
      succeeded: 'Done',
      pending: 'Not begun',
    },
    count: (shown, all) => `${shown === all ? '' : `${shown} of `}${all} ${all === 1 ? 'task' : 'tasks'}`,
    columns: {
      order: 'Task',
      status: 'Status',
      operation: 'Operation',
      step: 'Step',
      effect: 'Effect',
      attempts: 'Attempts',
      duration: 'Duration',
    },
    sortBy: (column) => `Sort by ${column}`,
    replaced: 'replaced',
    gone: 'This task is not in the plan at the moment that is shown.',
    step: 'Step',
    needs: 'Needs',
    waits: 'Waits for',
    why: 'Why',
    timeout: 'Time-out',
    expect: 'Expected',
    key: 'Idempotency key',
    written: 'Arguments as written',
    sent: 'Arguments as sent',
    sameAsWritten: 'sent as written',
    result: 'Result',
    note: 'Odd about the result',
    attempts: 'Attempts',
    attempt: (number) => `Attempt ${number}`,
    calls: (count) => `Calls of the service: ${count}`,
    underWay: 'under way',
    inDoubt: {
      driver_lost: 'in doubt: the process that called it is gone',
      timeout: 'in doubt: no answer in time',
      connection_lost: 'in doubt: the connection was lost',
      cancelled: 'in doubt: it was cancelled while it ran',
      unanswered: 'in doubt: it ended while a person was asked',
    },
    unstopped: 'It was told to stop and went on.',
    probe: (operation) => `Looked for with ${operation}`,
    found: { happened: 'it happened', not_happened: 'it did not happen', unknown: 'nobody knows' },
    asked: 'Asked',
    tasksOf: (count) => `${count} tasks in it`,
    bytes: (count) => `${count} bytes`,
    whole: 'whole result',
    items: (from, to, total) => `${from}–${to} of ${total}`,
    characters: (from, to, total) => `characters ${from}–${to} of ${total}`,
    kinds: {
      list: (count) => `list of ${count}`,
      object: (count) => `object of ${count} fields`,
      text: (count) => `text of ${count} characters`,
    },
    previous: 'Previous',
    next: 'Next',
    goTask: (id) => `Go to the task ${id}`,
  },
  ja: {
    table: '実行のタスク',
    none: '当てはまるタスクがありません。',
    search: 'タスクを探す',
    status: '状態',
    filters: {
      all: 'すべて',
      active: '進行中',
      waiting: '回答待ち',
      failed: '失敗・実行不可',
      succeeded: '完了',
      pending: '未着手',
    },
    count: (shown, all) => (shown === all ? `タスク ${all}個` : `${all}個のうち${shown}個`),
    columns: {
      order: 'タスク',
      status: '状態',
      operation: '操作',
      step: 'ステップ',
      effect: '影響',
      attempts: '試行',
      duration: '所要時間',
    },
    sortBy: (column) => `${column}で並べ替え`,
    replaced: '置き換え済み',
    gone: '表示中の時点では、このタスクは計画にありません。',
    step: 'ステップ',
    needs: '前提',
    waits: '待ち合わせ',
    why: '理由',
    timeout: 'タイムアウト',
    expect: '期待',
    key: '冪等キー',
    written: '引数(書かれたまま)',
    sent: '引数(送信時)',
    sameAsWritten: '書かれたとおりに送信',
    result: '結果',
    note: '結果についての注意',
    attempts: '試行',
    attempt: (number) => `${number}回目`,
    calls: (count) => `サービス内の呼び出し: ${count}件`,
    underWay: '実行中',
    inDoubt: {
      driver_lost: '結果不明: 呼び出したプロセスが失われました',
      timeout: '結果不明: 時間内に応答がありませんでした',
      connection_lost: '結果不明: 接続が切れました',
      cancelled: '結果不明: 実行中に中止されました',
      unanswered: '結果不明: 質問の回答を待たずに終わりました',
    },
    unstopped: '中止を伝えても止まりませんでした。',
    probe: (operation) => `${operation} で確認`,
    found: {
      happened: '実行されていました',
      not_happened: '実行されていませんでした',
      unknown: '分かりませんでした',
    },
    asked: '質問',
    tasksOf: (count) => `この中のタスク ${count}個`,
    bytes: (count) => `${count} バイト`,
    whole: '結果全体',
    items: (from, to, total) => `${total}件中 ${from}〜${to}`,
    characters: (from, to, total) => `${total}文字中 ${from}〜${to}`,
    kinds: {
      list: (count) => `${count}件のリスト`,
      object: (count) => `${count}項目のオブジェクト`,
      text: (count) => `${count}文字のテキスト`,
    },
    previous: '前へ',
    next: '次へ',
    goTask: (id) => `タスク ${id} へ`,
  },
};
