import type { Catalogue } from '../../translate.ts';

/** The comments of the file that `dandori init` writes. */
export const template: Catalogue = {
  'Dandori: every key with its default. A key that you remove keeps its default.':
    'Dandori の設定。すべてのキーと既定値です。消したキーは既定値になります。',
  'Durations: a number of seconds, or 500ms, 30s, 10m, 2h, 1d. Relative paths start at this file.':
    '時間は秒数、または 500ms、30s、10m、2h、1d。相対パスはこのファイルが基準です。',
  '--- The model that decides. Without one, the built-in planner handles simple goals.':
    '--- 判断するモデル。なければ内蔵プランナーを使います（簡単な目標だけ）。',
  'no key; base_url: http://localhost:11434/v1': 'キー不要。base_url: http://localhost:11434/v1',
  'any server with an OpenAI-compatible API': 'OpenAI 互換のサーバー',
  'the variable that holds the key, if one is needed': 'API キーを入れた環境変数（必要な場合）',
  'left out for a model that refuses it': 'モデルが受け付けない場合は送りません',
  'one call': '1 回の呼び出し',
  'json | tools (native tool calls) | auto (json, then tools if that fails)':
    'json | tools（モデルのツール呼び出し）| auto（json で失敗したら tools）',
  'used if the first model fails; the same keys': '使えないときに切り替えるモデル。キーは同じ',
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
  'older key: true is adaptive, false is planned': '古いキー：true は adaptive、false は planned',
  'decisions that add tasks': 'タスクを追加する判断の回数',
  'the whole run, without waiting for answers': '実行全体（回答待ちは含まない）',
  'US dollars': '米ドル',
  'of all model calls together': '全モデル呼び出しの合計',
  'parallel tool calls; by default 64, at most 16 of them change something':
    '同時に行う呼び出しの数。既定は 64（変更を伴うものは 16 まで）',
  'true: the model may run parts of the goal as sub-goals':
    'true：モデルが目標の一部を部分目標として実行できる',
  'errors that are retried, of read and idempotent tools': '再試行するエラー（read と idempotent のツール）',
  'its descriptions of tools count as external content; dandori add writes a hash':
    'ツールの説明を外部コンテンツとして扱う（dandori add はハッシュを書く）',
  'processes that drive the runs; 0: the server itself': '実行を進めるプロセスの数。0 ならサーバー自身',
  'prefetch: reads start while the model still writes': 'モデルの出力中に読み取りを始める（先読み）',
  'one tool call': '1 回のツール呼び出し',
  'only if a second call is safe': '繰り返しても安全な場合だけ',
  'never | destructive | writes | plan | step (plan and each step) | always':
    'never | destructive | writes | plan | step（計画と各ステップ）| always',
  'each tool may be called only after the one before it has succeeded':
    '左のツールが成功した後でだけ呼び出せる',
  '--- Planning, reflection and revisions.': '--- 計画、振り返り、修正。',
  'false: no plans, one decision after the other': 'false：計画を立てず、1 つずつ判断',
  'also after this many tasks': 'この数のタスクごとにも振り返る',
  'where runs are stored; if set, the planning history is written there too':
    '実行の保存先。設定すると計画の履歴も書き出す',
  '--- Where runs are stored, if several servers share them. Without it: files in planning.history.directory.':
    '--- 複数のサーバーで共有する場合の実行の保存先。未設定なら planning.history.directory のファイル。',
  'another process takes over the runs of a process that is silent for this long':
    'この時間応答がないプロセスの実行は、別のプロセスが引き継ぐ',
  '--- What one prompt may contain.': '--- モデルの 1 回の呼び出しに入れる量。',
  'above this, a summary replaces the oldest turns': '超えたら、古いやり取りを要約',
  'characters of one result; of a larger one, the beginning and the shape':
    '結果 1 件の文字数。超えたら先頭と構造だけ',
  'tools that are described; if there are more, those that fit the goal':
    '説明するツールの数。超えたら目標に合うものだけ',
  '--- Questions. Without expire_after they stay open. Time when nothing runs counts too.':
    '--- 質問。expire_after がなければ待ち続けます。停止中の時間も数えます。',
  'decline | cancel (the run); a default answer wins':
    'decline | cancel（実行を中止）。既定の回答があればそれを使う',
  'how long a call stays open while its server asks the user':
    '実行中に質問したサーバーの呼び出しを保持する時間',
  'the users who may answer; default: anyone': '回答できるユーザー。なければ全員',
  '--- Added to every prompt.': '--- 目標のほかに、毎回の判断に渡す指示。',
  '--- Notes that outlive runs, as Markdown files. The model reads them at the start and may write some.':
    '--- 実行をまたいで残るメモ（Markdown ファイル）。モデルは開始時に読み、書き足せます。',
  'memory: on is short for it': 'memory: on と書いても同じ',
  'how much of the notes a run gets at its start': '開始時に渡すメモの上限',
  '--- Where the tools come from. Paste servers here as for any MCP host; JSON is YAML too.':
    '--- ツールの接続先。ほかの MCP ホストの設定を貼り付けられます（JSON も可）。',
  '${NAME} and ${NAME:-default} are filled in from the environment.':
    '${NAME} と ${NAME:-既定値} は環境変数に置き換わります。',
  'args: [--database, shop.db] for a database of your own': '自分の DB は args: [--database, shop.db]',
  'to start and list its tools': '起動してツールの一覧を返すまで',
  'true: its data is the same on every machine': 'true：データはどのマシンでも同じ',
  'true: its results contain no external content': 'true：結果に外部コンテンツを含まない',
  'parallel calls to this server': 'このサーバーへの同時呼び出し数',
  'for its tools, instead of execution.approval': 'このサーバーのツールでは execution.approval より優先',
  '--- Effects of tools, if their server does not say them: read | idempotent | write | destructive':
    '--- サーバーが示さないツールの影響：read | idempotent | write | destructive',
  'other paths do not wait for it': '別のパスの呼び出しは待たない',
  "for this tool, instead of its server's": 'このツールでは、サーバーの設定より優先',
  'for all tools of a service': 'サービスの全ツール',
  'a lost call is checked with this read before you are asked': '結果不明の呼び出しを、質問の前に確認',
  '--- Your own tools: TypeScript or JavaScript modules.':
    '--- 自分のツール：TypeScript か JavaScript のモジュール。',
  '--- Settings per user, with the same keys: only execution, planning, instructions, language and trust.':
    '--- ユーザーごとの設定：execution、planning、instructions、language、trust のキーだけ。',
  'without {user_id}, ?user_id= is added': '{user_id} がなければ ?user_id= を付ける',
  'after that the run starts without them': '過ぎたら、設定なしで開始',
  '0 asks for every run': '0 なら実行のたびに取得',
  '--- `dandori serve`.': '--- `dandori serve` の設定。',
  'any other address needs access tokens': 'ほかのアドレスにはアクセストークンが必要',
  'allowed host names besides localhost and IP addresses': 'localhost と IP アドレス以外のホスト名',
  'runs driven at the same time; others wait': '同時に進める実行の数。残りは順番待ち',
  'time for running calls when the server stops': '停止時に、実行中の呼び出しを待つ時間',
  'requests per second of one user or address': 'ユーザーまたはアドレスごとの毎秒のリクエスト数',
  'runs and conversations that one user may follow at the same time': '1 人が同時に表示できる実行と会話の数',
  '`dandori token` creates one; without any, the server listens on this machine only':
    '`dandori token` で作成。なければこのマシンだけで使えます',
  '--- Traces of runs, model calls and tool calls for an OpenTelemetry collector (OTLP over HTTP).':
    '--- 実行、モデル、ツールのトレースの送信先（OpenTelemetry、OTLP over HTTP）。',
  'or OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS':
    '環境変数 OTEL_EXPORTER_OTLP_ENDPOINT と OTEL_EXPORTER_OTLP_HEADERS も可',
  'true: also what users, models and tools said': 'true：ユーザー、モデル、ツールの内容も送る',
  'the user of the runs; services and MCP servers get it':
    '実行するユーザー。サービスと MCP サーバーに渡します',
  'en | ja; otherwise the language of the goal': 'en | ja。なければ目標の言語',
};
