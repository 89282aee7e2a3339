import type { Catalogue } from '../../translate.ts';

const SMALLER = 'はファイルに保存し、ツールに読み取らせてください。';

/** What zod expects of a value in a request. */
const TYPES: Catalogue = {
  string: '文字列',
  number: '数値',
  int: '整数',
  boolean: '真偽値',
  array: 'リスト',
  object: 'オブジェクト',
  record: 'オブジェクト',
};

const EXPECTED: Catalogue = Object.fromEntries(
  Object.entries(TYPES).flatMap(([type, name]) => [
    [`Invalid input: expected ${type}, received undefined`, '必須です'],
    [`Invalid input: expected ${type}, received {1}`, `${name}にしてください`],
  ]),
);

/** Errors of the HTTP server, of its clients, and of tools. */
export const server: Catalogue = {
  ...EXPECTED,
  'Invalid input': '値が正しくありません',
  'Invalid input: expected {1}': '{1} にしてください',
  'Invalid input: expected {1}, received undefined': '必須です',
  'Invalid option: expected one of {1}': '{1} のいずれかにしてください',
  'Unrecognized key: {1}': '{1} というキーはありません',
  'Unrecognized keys: {1}': '{1} というキーはありません',
  'Too small: expected string to have >={1} characters': '{1} 文字以上にしてください',
  'Too big: expected string to have <={1} characters': '{1} 文字以下にしてください',
  'Too small: expected array to have >={1} items': '{1} 件以上にしてください',
  'Too big: expected array to have <={1} items': '{1} 件以下にしてください',
  'Too small: expected {1} to be >={2}': '{2} 以上にしてください',
  'Too small: expected {1} to be >{2}': '{2} より大きくしてください',
  'Too big: expected {1} to be <={2}': '{2} 以下にしてください',
  'Too big: expected {1} to be <{2}': '{2} より小さくしてください',
  'Invalid string: must match pattern {1}': '形式が正しくありません（パターン：{1}）',
  'Invalid URL': 'URL の形式が正しくありません',
  'Malformed JSON in request body': '本文の JSON が正しくありません。',
  'The output is no JSON Schema that can be used: schema is invalid: {1}':
    '出力の JSON Schema が正しくありません。',
  'The server answered {1} with something that is not JSON.': 'サーバーの応答（{1}）が JSON ではありません。',
  'The server answered {1} and did not say why.': 'サーバーが理由なしに {1} を返しました。',
  'Check that this is the address of a Dandori server.': 'Dandori サーバーのアドレスか確認してください。',
  'No server answers at {1} ({2}).': '{1} のサーバーが応答しません（{2}）。',
  'No server answers at {1}.': '{1} のサーバーが応答しません。',
  'Start one with `dandori serve`, or correct the address.':
    '`dandori serve` で起動するか、アドレスを確認してください。',
  'There is no {1} "{2}".': '{1}「{2}」が見つかりません。',
  'GET /api/{1}s lists your {2}s.': 'GET /api/{1}s で一覧を確認できます。',
  'GET /openapi.json says what can be sent.': '送信できる内容は GET /openapi.json で確認できます。',
  '{1} is not a path.': '{1} はパスではありません。',
  'No such route.': '指定された URL は存在しません。',
  'GET /docs lists the routes.': 'GET /docs で一覧を確認できます。',
  'Only admins can see the figures of all users.': '全ユーザーの統計を見られるのは管理者だけです。',
  'Only admins can see the processes of the server.': 'サーバーのプロセスを見られるのは管理者だけです。',
  'Only admins can check the stored data of all users.': '全ユーザーの保存内容を見られるのは管理者だけです。',
  'Only an admin may choose a model that is not configured: {1}.':
    '設定にないモデルを選べるのは管理者だけです：{1}',
  'Leave it out.': '省略してください。',
  'The server is stopping and accepts no new work.': 'サーバーは停止処理中のため、受け付けられません。',
  'Send it again with the same Idempotency-Key in a moment.':
    '少し待って、同じ Idempotency-Key で再送信してください。',
  'You follow {1} runs and conversations already.': 'すでに {1} 件の実行と会話に接続しています。',
  'Close a stream that you no longer read, or raise server.max_streams.':
    '不要なストリームを閉じるか、server.max_streams を引き上げてください。',
  'This server does not answer under that name.': 'このホスト名では応答しません。',
  'Use its address, or add the name to server.hosts.':
    'アドレスで接続するか、server.hosts に名前を追加してください。',
  "Pages of other origins can't call this server.": '別のオリジンのページからは呼び出せません。',
  'Open the page from this server, or call it from a program.':
    'このサーバーのページを開くか、プログラムから呼び出してください。',
  'Too many requests.': 'リクエストが多すぎます。',
  'Wait a second and send fewer; server.rate_limit says how many.':
    '1 秒待ち、回数を減らしてください。上限は server.rate_limit です。',
  'This needs a valid access token.': '有効なアクセストークンが必要です。',
  'Send it as "Authorization: Bearer TOKEN"; `dandori token` makes one.':
    '「Authorization: Bearer TOKEN」で送ってください。トークンは `dandori token` で作成できます。',
  'A viewer can only read.': '閲覧者は読み取りだけできます。',
  'Use the token of an operator.': 'オペレーターのアクセストークンを使ってください。',
  'The body must be JSON.': '本文は JSON にしてください。',
  'The body is nested more than {1} deep.': '本文の入れ子が {1} 段を超えています。',
  'Put deep data into a file that a tool can read.': `深いデータ${SMALLER}`,
  'The body is larger than {1} bytes.': '本文が {1} バイトを超えています。',
  'Put large data into a file that a tool can read.': `大きなデータ${SMALLER}`,
  'The server cannot do this now. Its log says why.':
    'サーバーで処理できません。理由はサーバーのログにあります。',
  "The server can't continue it. Its log says why.":
    'サーバーで実行を続けられません。理由はサーバーのログにあります。',
  'The body of the request is too large.': 'リクエストの本文が大きすぎます。',
  'The request is malformed.': 'リクエストを解釈できません。',
  'The address of the request cannot be read.': 'リクエストのアドレスを読み取れません。',
  'This is not valid HTTP.': 'HTTP の形式が正しくありません。',
  'The request headers are too large.': 'リクエストヘッダーが大きすぎます。',
  'The request took too long to arrive.': 'リクエストの受信がタイムアウトしました。',
  'Send "Content-Type: application/json".': '「Content-Type: application/json」を付けて送ってください。',
  'A run takes either tasks or a plan file.': 'tasks と計画ファイルは、どちらか一方だけを指定してください。',
  'Remove one of them.': '一方を省略してください。',
  'A run needs a goal.': '目標を指定してください。',
  'Send "goal", or a plan file that names it.': '"goal" を送るか、目標を書いた計画ファイルを送ってください。',
  'There is no event {1} in it.': 'イベント {1} はありません。',
  'Read it again from the beginning.': '最初から読み直してください。',
  'Traces cannot be sent to {1}: {2}.': 'トレースを {1} に送れません：{2}',
  "The conversation {1} can't be resumed": '会話 {1} を再開できません',
  'The runs cannot be listed': '実行を一覧できません',
  'The run {1} cannot be driven': '実行 {1} を進められません',
  '{1}; retrying in {2} s': '{1}。{2} 秒後に再試行します',
  'A request failed': 'リクエストの処理に失敗しました',
  'The server has no tokens, so it listens on this machine only and not on {1}.':
    'アクセストークンがないため、{1} では待ち受けず、このマシンだけで待ち受けます。',
  'server.workers needs runs that other processes can read.':
    'server.workers には、ほかのプロセスからも読める実行が必要です。',
  'Set planning.history.storage_type to jsonl, or leave out server.workers.':
    'planning.history.storage_type を jsonl にするか、server.workers を削除してください。',
  "A worker process can't be started: {1}": 'ワーカープロセスを起動できません：{1}',
  "A worker process can't be reached: {1}": 'ワーカープロセスと通信できません：{1}',
  'The worker process {1} ended ({2})': 'ワーカープロセス {1} が終了しました（{2}）',
  'exit code {1}': '終了コード {1}',
  '{1}; starting another one in {2} s.': '{1}。{2} 秒後に新しいプロセスを起動します。',
  'The server is stopping.': 'サーバーは停止処理中です。',
  'Make a token with `dandori token` and put it under server.tokens, or keep host: 127.0.0.1.':
    '`dandori token` で作成して server.tokens に追加するか、host: 127.0.0.1 のままにしてください。',
  'Cannot listen on {1}:{2}: {3}.': '{1}:{2} で待ち受けできません：{3}',
  'another program already listens there': '別のプログラムが使用中です',
  'this user is not allowed to listen there': 'このユーザーには権限がありません',
  'this machine has no such address': 'このマシンにないアドレスです',
  'Choose another server.port or server.host, or --port.':
    'server.port、server.host、または --port を変更してください。',
  'it has neither options nor a form': '選択肢もフォームもありません',
  "{1} asked a question that can't be read: {2}": '{1} の質問を解釈できません：{2}',
  '{1} asked a question whose options make calls of their own. The user was not asked: only a trusted tool (trusted: true) can do that.':
    '{1} が、別の呼び出しを行う選択肢で質問しました。信頼済みのツール（trusted: true）ではないため、質問しませんでした。',
  'it asked a question. The user was not asked: {1} is trusted and {2} is not, so {3} cannot pass it on.':
    'ツールが質問しましたが、取り次ぎませんでした（{1} は信頼済み、{2} は信頼済みではありません）。',
  'the preview of {1} failed': '{1} のプレビューに失敗しました',
  'services call each other more than {1} deep': 'サービスの呼び出しが {1} 段を超えています',
  '{1} asks ({2}) after it has called {3}. It would call it again':
    '{1} は {3} の呼び出し後に質問しました（{2}）。回答後に再度呼び出すことになります',
  '{1}. The user was not asked: a method must ask before it changes anything.':
    '{1}。質問しませんでした。メソッドは変更の前に質問する必要があります。',
  'Give one of them another name: it is the first part of the names of its tools.':
    '一方の名前を変えてください。ツール名の先頭になります。',
  'There are two servers or services named "{1}".':
    '「{1}」という名前のサーバーまたはサービスが 2 つあります。',
  'the {1} schema of {2} cannot be used and is ignored: {3}':
    '{2} の {1} スキーマは使用できないため無視します：{3}',
  'A run can have {1} attachments.': '添付できるファイルは {1} 個までです。',
  'Attach fewer files, or let a tool read them.':
    '添付するファイルを減らすか、ツールに読み取らせてください。',
  'The attachments have {1}; {2} are the most.': '添付ファイルの合計が {1} です。上限は {2} です。',
  'Attach less, or let a tool read the files.': '添付を減らすか、ツールに読み取らせてください。',
  'Name a file that can be read.': '読み取れるファイルを指定してください。',
  'there is no such attachment; attached: {1}': 'その添付ファイルはありません。添付：{1}',
  'The form cannot be read.': 'フォームを読み取れません。',
  'Send "multipart/form-data" with its boundary.':
    '境界（boundary）を付けて "multipart/form-data" で送信してください。',
  'The form has more than {1} parts.': 'フォームの項目が {1} 個を超えています。',
  'Write the request as JSON in the field "request".': 'フィールド "request" に JSON で書いてください。',
  'The field "request" is not JSON.': 'フィールド "request" が JSON ではありません。',
  'Write the request as JSON, or leave the field out and send "goal".':
    'JSON で書くか、このフィールドを省略して "goal" を送信してください。',
  'there is no note {1}': 'メモ {1} はありません',
  'a note can have {1} bytes: write less, or two notes':
    'メモは {1} バイトまでです。短くするか、分けてください',
  'there are {1} notes already: remove one first': 'メモがすでに {1} 件あります。先に 1 件削除してください',
  'a name has letters, digits, - and _, and at most 64 of them':
    '名前に使えるのは文字、数字、-、_ で、64 文字までです',
  'there is no action {1} in this run': 'この実行にアクション {1} はありません',
  '{1} has no result: it is {2}': '{1} に結果がありません（{2}）',
  '{1} finds nothing in this result': '{1} に当たる値は結果にありません',
  '{1} has no preview': '{1} にプレビューはありません',
  'the preview of {1} may only read, and {2} writes':
    '{1} のプレビューでは読み取りだけができます（{2} は書き込み）',
  'the preview failed and did not say why': 'プレビューが理由を示さずに失敗しました',
  'there is no plan yet': '計画はまだありません',
  'the sub-goal of {1} cannot run: {2}': '{1} の部分目標を実行できません：{2}',
  'a sub-goal {1} levels deep cannot have sub-goals: do it here':
    '{1} 階層目の部分目標は、さらに部分目標を持てません。ここで実行してください',
  'tools: there is no {1}': 'tools: {1} はありません',
  'output: no JSON Schema that can be used: {1}': 'output: 使える JSON Schema ではありません：{1}',
  'the sub-goal {1} was left': '部分目標 {1} の実行を中断しました',
  'so far: {1}': 'ここまでの結果：{1}',
  'the sub-goal {1} ended as {2}': '部分目標 {1} は {2} で終わりました',
  '{1} is asked by a sub-goal, {2}, through the run {3}.':
    '{1} は部分目標 {2} の質問で、実行 {3} を通して尋ねられています。',
  'Answer it there: `dandori questions {1}` lists it.':
    'そちらで回答してください。`dandori questions {1}` で確認できます。',
  'the run {1} has ended': '実行 {1} が終了しました',
  'this run may not use {1}': 'この実行は {1} を使えません',
  'there are no sub-goals here': 'ここでは部分目標を使えません',
  'no model call is left for a sub-goal': '部分目標に使えるモデル呼び出しが残っていません',
  'extract needs a language model': 'extract には言語モデルが必要です',
  'no model call is left in this run': 'この実行で使えるモデル呼び出しは残っていません',
  'this run belongs to no conversation': 'この実行は会話のものではありません',
  'Use letters, digits, "_" and "-", beginning with a letter.': '英字で始め、英数字、_、- を使ってください。',
  '"{1}" cannot be the name of a service or a method.': '「{1}」はサービスやメソッドの名前に使えません。',
  'Arguments have names: make the input a z.object({ … }).':
    '引数には名前が必要です。input を z.object({ … }) にしてください。',
  'The input of {1} is not an object.': '{1} の input がオブジェクトではありません。',
  'The {1} of {2} cannot be written as JSON Schema: {3}': '{2} の {1} を JSON Schema で表せません：{3}',
  'Use types that JSON has.': 'JSON で表せる型を使ってください。',
  '{1} is too large for a JavaScript number: read it with z.coerce.bigint(), or as text':
    '{1} は JavaScript の数値で表せません。z.coerce.bigint() か文字列で受け取ってください',
  'it keeps asking for input': '入力の要求を繰り返しています',
  'the arguments are not JSON: {1}': '引数が JSON ではありません：{1}',
  '{1} needs something to be done first, and it was not done': '{1} の前提となる処理がありません',
  'the result does not fit the output of {1}: {2}': '結果が {1} の出力に合いません：{2}',
  'the result of {1} is not JSON: {2}': '{1} の結果が JSON ではありません：{2}',
  'Cannot load the service {1}: {2}': 'サービス {1} を読み込めません：{2}',
  'Write "type": "module" in package.json, or let the name of the file end with .mts.':
    'package.json に "type": "module" と書くか、ファイル名の末尾を .mts にしてください。',
  'Copy the file out of node_modules: Node runs no TypeScript there.':
    'ファイルを node_modules の外にコピーしてください。Node はその中の TypeScript を実行しません。',
  'Use Node 22.18 or newer, which runs TypeScript, or name a JavaScript file.':
    'TypeScript を実行できる Node 22.18 以降を使うか、JavaScript のファイルを指定してください。',
  'Fix the module; Node must be able to import it as it is.':
    'モジュールを修正してください。Node がそのまま読み込める必要があります。',
  'tools.{1} is the service "{2}".': 'tools.{1} はサービス「{2}」です。',
  'Use its name as the key: tools: { {1} }.': 'サービスの名前をキーにしてください：tools: { {1} }。',
  'tools.{1}.input is not a schema of zod 4.': 'tools.{1}.input は zod 4 のスキーマではありません。',
  'Write z.object({ … }) with zod 4 or newer, or leave out input if the tool takes no arguments. A JSON Schema goes with inputSchema and execute.':
    'zod 4 以降で z.object({ … }) と書いてください。引数がなければ input は省けます。JSON Schema は inputSchema と execute で渡します。',
  'tools[{1}] has no name.': 'tools[{1}] に名前がありません。',
  'Pass the tools by name: tools: { weather }.': 'ツールは名前付きで渡してください：tools: { weather }',
  'Rename its parts: {1}.': '名前を変えてください：{1}',
  'The effect of {1} is unknown: {2}.': '{1} の effect が不明です：{2}',
  'The effects are {1}.': '使える effect：{1}',
  'tools.{1} is not a tool.': 'tools.{1} はツールではありません。',
  'Pass a function, tool({ description, input, run }), a tool of the AI SDK, or a service.':
    '関数、tool({ description, input, run })、AI SDK のツール、またはサービスを渡してください。',
  'tools.{1} has no execute, so it cannot be called here.':
    'tools.{1} に execute がないため、呼び出せません。',
  'Give it an execute function. With run, the schema is called input.':
    'execute 関数を追加してください。run を使う場合、スキーマの名前は input です。',
  'tools.{1} has an unknown part "{2}".': 'tools.{1} に「{2}」という項目はありません。',
  'A tool cannot be named "{1}": Dandori has an operation of this name.':
    'ツールの名前に「{1}」は使えません。Dandori 自身の操作の名前です。',
  'Give it another name, such as a verb and its object: write_report.':
    'write_report のように、別の名前を付けてください。',
  'The inputSchema of tools.{1} cannot be read.': 'tools.{1} の inputSchema を読み取れません。',
  'Use a schema of zod 4, or a JSON Schema.': 'zod 4 のスキーマか JSON Schema を使ってください。',
  '{1} exports no service.': '{1} がサービスをエクスポートしていません。',
  'export default defineService({ name, methods })':
    'export default defineService({ name, methods }) を追加してください',
  '{1} can\'t call it, because it does not declare it. Add "{2}" to its calls.':
    '{1} の calls にないため呼び出せません。calls に「{2}」を追加してください。',
  '{1} may not call it, because it is {2} and {3} says that it is {4}. Give {5} the effect {6}.':
    '{1}（影響：{4}）からは呼び出せません（影響：{2}）。{5} の影響を {6} にしてください。',
  '{1} was stopped while it was running, and may or may not have taken effect':
    '{1} は実行中に停止しました。反映されたかどうかは不明です',
  '{1} was not called: the run was stopped first': '実行が停止したため、{1} を呼び出していません',
  'The mind broke: {1}': 'モデルの処理に失敗しました：{1}',
};
