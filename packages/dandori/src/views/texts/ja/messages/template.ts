import type { Catalogue } from '../../translate.ts';

/** The comments of the file that `dandori init` writes. */
export const template: Catalogue = {
  'Dandori. Every key is here with its default; what you remove keeps its default.':
    'Dandori の設定。すべてのキーと既定値です。消したキーは既定値になります。',
  'Durations: a number of seconds, or 500ms, 30s, 10m, 2h, 1d. Relative paths start at this file.':
    '時間は秒数、または 500ms、30s、10m、2h、1d。相対パスはこのファイルが基準です。',
  '--- Who decides. Without a model the built-in planner does, which knows simple goals only.':
    '--- 判断するモデル。なければ内蔵プランナーを使います（簡単な目標だけ）。',
  'no key; base_url: http://localhost:11434/v1': 'キー不要。base_url: http://localhost:11434/v1',
  'any server that speaks like OpenAI': 'OpenAI 互換のサーバー',
  'the variable that holds the key, where one is needed': 'API キーを入れた環境変数（必要な場合）',
  'left out where the model refuses it': 'モデルが受け付けない場合は送りません',
  'one call': '1 回の呼び出し',
  'json | tools (native tool calls) | auto (json, then tools if that fails)':
    'json | tools（モデルのツール呼び出し）| auto（json で失敗したら tools）',
  'asked when the first cannot be had; the same keys': '使えないときに切り替えるモデル。キーは同じ',
  'US$ per million tokens': '100 万トークンあたりの米ドル',
  '--- Orders in data: you are asked about calls that external content may have ordered.':
    '--- データに紛れた指示。外部コンテンツが指示した可能性のある呼び出しは確認します。',
  'strict | standard | observe (asks nothing, logs it) | off':
    'strict | standard | observe（確認せず記録だけ）| off',
  'what extract may return so that it can decide what a call affects':
    'extract の値のうち、呼び出しの対象を決めてよい種類',
  'arguments that decide what a call affects, if their names do not say so':
    '呼び出しの対象を決める引数（名前から分からない場合）',
  '--- How a goal is run.': '--- 実行のしかた。',
  'the old switch: true = adaptive, false = planned': '古いキー：true は adaptive、false は planned',
  'decisions that may add tasks': 'タスクを追加する判断の回数',
  'the whole run, without waiting for answers': '実行全体（回答待ちは含まない）',
  'US dollars': '米ドル',
  'of all model calls together': '全モデル呼び出しの合計',
  'tool calls at the same time': '同時に行う呼び出しの数',
  'reads start while the model still writes': 'モデルの出力中に読み取りを始める（先読み）',
  'one tool call': '1 回のツール呼び出し',
  'only where a second call is safe': '繰り返しても安全な場合だけ',
  'never | destructive | writes | plan | step (plan and each step) | always':
    'never | destructive | writes | plan | step（計画と各ステップ）| always',
  'a tool may only be called after those before it': '左のツールの後でだけ呼び出せる',
  '--- How plans are made, looked back on and changed.': '--- 計画、振り返り、修正。',
  'false: no plans, one decision after the other': 'false：計画を立てず、1 つずつ判断',
  'and after every so many actions': 'このアクション数ごとにも振り返る',
  'where runs are stored; if set, the planning history is written there too':
    '実行の保存先。設定すると計画の履歴も書き出す',
  '--- Where runs are stored, if several servers share them. Without it: files in planning.history.directory.':
    '--- 複数のサーバーで共有する場合の実行の保存先。未設定なら planning.history.directory のファイル。',
  'a process that is silent for so long loses its runs to another':
    'この時間応答がないプロセスの実行は、別のプロセスが引き継ぐ',
  '--- What one call of the model may hold.': '--- モデルの 1 回の呼び出しに入れる量。',
  'above this, old turns are told in short': '超えたら、古いやり取りを要約',
  'characters of one result; of more its shape and its beginning': '結果 1 件の文字数。超えたら形と先頭だけ',
  'tools that are described; of more, those that fit the goal':
    '説明するツールの数。超えたら目標に合うものだけ',
  '--- People who are asked. A question stays open for ever unless it expires; days in which nothing runs count too.':
    '--- 質問。期限がなければ待ち続けます。停止中の日数も数えます。',
  'decline | cancel (the run); a question with a default takes that':
    'decline | cancel（実行を中止）。既定の回答があればそれを使う',
  'a call of a server that asks while it runs is held open so long':
    '実行中に質問したサーバーの呼び出しを保持する時間',
  'who may answer; without it anybody': '回答できるユーザー。なければ全員',
  '--- What every decision is told besides the goal.': '--- 目標のほかに、毎回の判断に渡す指示。',
  '--- Notes that outlive runs, as Markdown files. The model reads them at the start and may write some.':
    '--- 実行をまたいで残るメモ（Markdown ファイル）。モデルは開始時に読み、書き足せます。',
  'memory: on is short for it': 'memory: on と書いても同じ',
  'of the notes that a run is told at its start': '開始時に渡すメモの上限',
  '--- Where the tools come from. Paste servers here as for any MCP host; JSON is YAML too.':
    '--- ツールの接続先。ほかの MCP ホストの設定を貼り付けられます（JSON も可）。',
  '${NAME} and ${NAME:-default} are filled in from the environment.':
    '${NAME} と ${NAME:-既定値} は環境変数に置き換わります。',
  'args: [--database, shop.db] for a database of your own': '自分の DB は args: [--database, shop.db]',
  'until it must have started and listed its tools': '起動してツールの一覧を返すまで',
  'true: its data is the same on every machine': 'true：データはどのマシンでも同じ',
  'true: its results contain no external content': 'true：結果に外部コンテンツを含まない',
  'calls at the same time to this server': 'このサーバーへの同時呼び出し数',
  'for its tools, instead of execution.approval': 'このサーバーのツールでは execution.approval より優先',
  '--- What a tool does to the world, where it does not say so itself: read | idempotent | write | destructive':
    '--- サーバーが示さないツールの影響：read | idempotent | write | destructive',
  'other paths do not wait for it': '別のパスの呼び出しは待たない',
  "for this tool, instead of its server's": 'このツールでは、サーバーの設定より優先',
  'for all tools of a service': 'サービスの全ツール',
  'a call that was lost is looked for before anybody is asked': '結果不明の呼び出しを、質問の前に確認',
  '--- Your own tools: TypeScript or JavaScript modules.':
    '--- 自分のツール：TypeScript か JavaScript のモジュール。',
  "--- Settings of each user's own: the same keys as here, of execution, planning, instructions and language only.":
    '--- ユーザーごとの設定：execution、planning、instructions、language のキーだけ。',
  'without {user_id}, ?user_id= is added': '{user_id} がなければ ?user_id= を付ける',
  'after that the run starts without them': '過ぎたら、設定なしで開始',
  '0 asks for every run': '0 なら実行のたびに取得',
  '--- `dandori serve`.': '--- `dandori serve` の設定。',
  'any other address needs tokens': 'ほかのアドレスにはトークンが必要',
  'names under which it is reached besides localhost and plain addresses':
    'localhost と IP アドレス以外のホスト名',
  'runs driven at the same time; others wait': '同時に進める実行の数。残りは順番待ち',
  'for running calls, when it is told to stop': '停止時に、実行中の呼び出しを待つ時間',
  'requests a second of one user or address': 'ユーザーまたはアドレスごとの毎秒のリクエスト数',
  'runs and conversations that one user may follow at the same time': '1 人が同時に表示できる実行と会話の数',
  '`dandori token` makes one; without any, only this machine is served':
    '`dandori token` で作成。なければこのマシンだけで使えます',
  '--- Traces of runs, model calls and tool calls for an OpenTelemetry collector (OTLP over HTTP).':
    '--- 実行、モデル、ツールのトレースの送信先（OpenTelemetry、OTLP over HTTP）。',
  'or OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS':
    '環境変数 OTEL_EXPORTER_OTLP_ENDPOINT と OTEL_EXPORTER_OTLP_HEADERS も可',
  'true: also what users, models and tools said': 'true：ユーザー、モデル、ツールの内容も送る',
  'on whose behalf; services and MCP servers are told':
    '誰の代わりに実行するか。サービスと MCP サーバーに伝えます',
  'en | ja; otherwise the language of the goal': 'en | ja。なければ目標の言語',
};
