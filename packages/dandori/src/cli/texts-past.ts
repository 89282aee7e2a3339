import type { Examined, FindingKind } from '../app/dandori.ts';
import type { RunDifference } from '../history/diff.ts';
import { countOf } from './style.ts';

/** What a person reads who is asked at a terminal. */
export const ENGLISH_REPLIES = {
  answer: 'Answer',
  decline: 'Decline to answer',
  cancel: 'Cancel the run',
  why: 'Why? (may be empty)',
  keys: { one: '↑/↓, Enter', some: '↑/↓, Space marks, Enter' },
  elsewhere: (question: string, answer: string | undefined, by: string | undefined) =>
    `${question} was ${answer === undefined ? 'declined' : 'answered'} elsewhere${by === undefined ? '' : ` by ${by}`}${answer === undefined ? '' : `: ${answer}`}`,
  optional: 'may be left out',
  leaveOut: 'Leave it out',
  needed: 'This is needed.',
  flag: (value: boolean): string => (value ? 'Yes' : 'No'),
  number: 'number',
  integer: 'whole number',
  default: (value: string) => `default: ${value}`,
};

export const JAPANESE_REPLIES: typeof ENGLISH_REPLIES = {
  answer: '答える',
  decline: '答えない',
  cancel: '実行を中止する',
  why: '理由(空でもかまいません)',
  keys: { one: '↑/↓ で選び、Enter で決定', some: '↑/↓ で移動、スペースで選択、Enter で決定' },
  elsewhere: (question, answer, by) =>
    `${question} には${by === undefined ? '別のところ' : ` ${by} `}から${answer === undefined ? '「答えない」と返答がありました' : `回答がありました: ${answer}`}`,
  optional: '省略可',
  leaveOut: '省略する',
  needed: '入力が必要です。',
  flag: (value) => (value ? 'はい' : 'いいえ'),
  number: '数',
  integer: '整数',
  default: (value) => `既定値: ${value}`,
};

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

/** What the CLI says of what was: replaying, forking, comparing and mending runs. */
export const PAST_ENGLISH = {
  lifted: {
    from: (run: string, outcome: string) => `Lifted from the run ${run} (${outcome}).`,
    inferred: (count: number) =>
      `${count} ${count === 1 ? 'Ref was' : 'Refs were'} inferred, where a value was equal to one in an earlier result. Look at each.`,
    left: (task: string, operation: string, reason: string) => `Left out: ${task} ${operation} (${reason})`,
    redacted: (tasks: string) => `[secret] stands where a secret was sent. Fill it in: ${tasks}`,
    unread: (tasks: string) => `The results could not be read, so no Refs to them were inferred: ${tasks}`,
    was: (path: string, ref: string, value: string) => `${path}: ${ref} was inferred; it was ${value}`,
  },
  history: {
    none: 'Nothing was planned.',
    version: (version: number) => `plan ${version}`,
    by: { mind: 'by the mind', user: 'by a person', repair: 'corrected' },
    accepted: 'accepted',
    rejected: 'rejected',
    replaced: 'replaced',
    open: 'not accepted yet',
    reflected: 'looked back',
    now: 'The plan now',
  },
  replayed: {
    proved: (events: number, derived: number, taken: number) =>
      `Proved: ${events} events. ${derived} were derived again, ${taken} are taken from the mind, tools and people as they stand.`,
    differs: (count: number) =>
      count === 1
        ? 'One event is not what it must be:'
        : `${count} things in the journal are not what they must be:`,
    unproved: (count: number) => `${count} could not be derived again, as a stored result is gone:`,
    upTo: (seq: number, events: number) => `as of event ${seq} of ${events}`,
  },
  forked: {
    from: (run: string, seq: number) => `Forked from ${run} at event ${seq}.`,
    settled: (tasks: string) => `Under way then, and taken over as it ended: ${tasks}`,
    later: 'The other run has called these since. The fork does not know of them and may call them too:',
    howToDrive: (run: string) => `Go on with:  dandori resume ${run}`,
  },
  differing: {
    same: 'No difference.',
    common: (seq: number) => `The same up to event ${seq}.`,
    kinds: {
      goal: 'goal',
      settings: 'settings',
      plan: 'plan',
      call: 'call',
      outcome: 'outcome',
      result: 'result',
      answer: 'answer',
      usage: 'usage',
      time: 'time (counts for nothing)',
    } as Readonly<Record<RunDifference['kind'], string>>,
  },
  recorded: {
    from: (run: string) => `Recorded from the run ${run}. Run it with runCase of dandori/testing.`,
    inexact: (decisions: string) =>
      `These decisions may not come out the same again: ${decisions}. Look whether the test passes.`,
    unknown: (tools: string) =>
      `These tools are not connected, so arguments are not checked against them: ${tools}`,
  },
  doctored: {
    healthy: ({ runs, conversations, events, blobs }: Omit<Examined, 'findings'>) =>
      `Healthy: ${countOf(runs, 'run')}, ${countOf(conversations, 'conversation')}, ${countOf(events, 'event')}, ${countOf(blobs, 'stored result')}.`,
    unseen: (parts: readonly NonNullable<Examined['unseen']>[number][]) =>
      `Not looked at: ${parts.join(', ')}. They are not kept in files, so nothing is known of them.`,
    found: (count: number) => `${count} ${count === 1 ? 'finding' : 'findings'}:`,
    place: (line: number, offset: number | undefined) =>
      offset === undefined ? `line ${line}` : `line ${line}, byte ${offset}`,
    repaired: 'repaired',
    howToRepair: 'dandori doctor --repair mends what can be mended without loss.',
    confirm: (what: string) => `Mend this? ${what}`,
    yes: 'Yes',
    no: 'No',
    kinds: {
      'torn-tail': ['a half-written last line', '--repair cuts it off; so does the next resume.'],
      'trailing-garbage': [
        'something behind the last event',
        'Look what it is; --repair asks, and cuts it off.',
      ],
      'lost-newline': ['a last line without its newline', 'The event is whole: --repair asks, and ends it.'],
      'damaged-line': [
        'a damaged line',
        'Bring the file back from a backup. Until then nothing goes on with it.',
      ],
      'missing-line': ['lines are missing', 'Bring the file back from a backup.'],
      'duplicated-line': ['a line stands there twice', '--repair asks, keeps a copy, and takes one away.'],
      'misplaced-line': ['a line in the wrong place', 'Bring the file back from a backup.'],
      'empty-journal': ['a run without events', 'Bring the file back from a backup, or delete it.'],
      'broken-law': [
        'it tells what cannot have happened',
        'Somebody has changed it, or Dandori has a bug: please report it with `dandori log`.',
      ],
      'stale-lock': ['a lock of a process that is gone', '--repair removes it; it blocks nobody.'],
      'foreign-lock': [
        'a lock of a process on another machine',
        'If that process is gone for good, delete the file.',
      ],
      leftover: ['half a file that a crash left', '`dandori prune` removes it.'],
      'missing-blob': ['a stored result is missing', 'Bring the file back from a backup.'],
      'damaged-blob': ['a stored result is damaged', 'Bring the file back from a backup.'],
      unreadable: ['it cannot be read', 'Give this user the right to read it.'],
      permissions: ['others may read or change it', 'chmod 600 it; --repair asks, and does.'],
    } as Readonly<Record<FindingKind, readonly [what: string, fix: string]>>,
  },
};

const PARTS_JA: Readonly<Record<NonNullable<Examined['unseen']>[number], string>> = {
  runs: '実行',
  conversations: '会話',
  blobs: '保存した結果',
};

export const PAST_JAPANESE: typeof PAST_ENGLISH = {
  lifted: {
    from: (run, outcome) => `実行 ${run} (${outcome}) から起こした計画。`,
    inferred: (count) => `前の結果と等しい値${count}か所をRefとみなしました。確かめてください。`,
    left: (task, operation, reason) => `除いたタスク: ${task} ${operation} (${reason})`,
    redacted: (tasks) => `[secret] の所には秘密の値がありました。書き入れてください: ${tasks}`,
    unread: (tasks) => `結果を読めなかったため、Refを推定していません: ${tasks}`,
    was: (path, ref, value) => `${path}: ${ref} と推定。元の値は ${value}`,
  },
  history: {
    none: '計画はまだありません。',
    version: (version) => `計画 ${version}`,
    by: { mind: 'モデルによる', user: '利用者による', repair: '自動訂正' },
    accepted: '採用',
    rejected: '不採用',
    replaced: '差し替え済み',
    open: '未承認',
    reflected: '振り返り',
    now: '現在の計画',
  },
  replayed: {
    proved: (events, derived, taken) =>
      `証明しました: イベント${events}件。${derived}件を導き直して一致し、${taken}件はモデル・ツール・人の言葉としてそのまま使います。`,
    differs: (count) => `記録のうち${count}か所が、あるべき内容と違います:`,
    unproved: (count) => `${count}件は、保存した結果が失われているため導き直せません:`,
    upTo: (seq, events) => `全${events}件中、イベント${seq}の時点`,
  },
  forked: {
    from: (run, seq) => `${run} のイベント${seq}から分岐しました。`,
    settled: (tasks) => `分岐点で実行中だったため、元の実行での結末を引き継ぎました: ${tasks}`,
    later:
      '元の実行は、分岐点より後に次を呼び出しています。分岐した実行はそれを知らず、もう一度呼び出すことがあります:',
    howToDrive: (run) => `続けるには:  dandori resume ${run}`,
  },
  differing: {
    same: '違いはありません。',
    common: (seq) => `イベント${seq}までは同じです。`,
    kinds: {
      goal: '目標',
      settings: '設定',
      plan: '計画',
      call: '呼び出し',
      outcome: '結末',
      result: '結果',
      answer: '答え',
      usage: '使用量',
      time: '時間(違いに数えません)',
    },
  },
  recorded: {
    from: (run) => `実行 ${run} の記録。dandori/testing の runCase で動かします。`,
    inexact: (decisions) =>
      `次の決定は同じ形に再現できないかもしれません: ${decisions}。テストが通るか確かめてください。`,
    unknown: (tools) => `次のツールは接続されていないため、引数を検査しません: ${tools}`,
  },
  doctored: {
    healthy: ({ runs, conversations, events, blobs }) =>
      `異常なし: 実行${runs}件、会話${conversations}件、イベント${events}件、保存した結果${blobs}件。`,
    unseen: (parts) =>
      `未確認: ${parts.map((part) => PARTS_JA[part]).join('、')}。ファイルに保存されていないため、状態は分かりません。`,
    found: (count) => `${count}件見つかりました:`,
    place: (line, offset) => (offset === undefined ? `${line}行目` : `${line}行目、${offset}バイト目`),
    repaired: '直しました',
    howToRepair: 'dandori doctor --repair で、失うもののない修復を行います。',
    confirm: (what) => `直しますか? ${what}`,
    yes: 'はい',
    no: 'いいえ',
    kinds: {
      'torn-tail': ['書きかけの最終行', '--repair で切り取ります。次の resume でも切り取られます。'],
      'trailing-garbage': [
        '最後のイベントの後ろの余分なもの',
        '中を確かめてください。--repair は尋ねてから切り取ります。',
      ],
      'lost-newline': ['改行のない最終行', 'イベントは完全です。--repair は尋ねてから改行を補います。'],
      'damaged-line': ['壊れた行', 'バックアップから戻してください。それまで先へは進みません。'],
      'missing-line': ['行が欠けています', 'バックアップから戻してください。'],
      'duplicated-line': ['同じ行が二つあります', '--repair は尋ねてから、写しを残して一つを除きます。'],
      'misplaced-line': ['行の場所が違います', 'バックアップから戻してください。'],
      'empty-journal': ['イベントのない実行', 'バックアップから戻すか、削除してください。'],
      'broken-law': [
        '起こりえないことが書かれています',
        '誰かが書き換えたか、Dandoriの不具合です。`dandori log` を添えて知らせてください。',
      ],
      'stale-lock': ['終了したプロセスのロック', '--repair で除きます。誰の妨げにもなりません。'],
      'foreign-lock': [
        '別のマシンのプロセスのロック',
        'そのプロセスがもうないなら、ファイルを削除してください。',
      ],
      leftover: ['異常終了で残った書きかけのファイル', '`dandori prune` で除きます。'],
      'missing-blob': ['保存した結果がありません', 'バックアップから戻してください。'],
      'damaged-blob': ['保存した結果が壊れています', 'バックアップから戻してください。'],
      unreadable: ['読み取れません', 'このユーザーに読み取りの権限を与えてください。'],
      permissions: ['他人が読み書きできます', 'chmod 600 にしてください。--repair は尋ねてから行います。'],
    },
  },
};
