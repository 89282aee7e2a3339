import type { Catalogue } from '../../translate.ts';

const LIST_RUNS = '`dandori runs` で一覧を確認してください。';
const SHORTER = '短くしてください。';
const UNIT = '30d、12h、90m のように単位を付けてください。';

/** Errors about runs, questions and stored files. */
export const usage: Catalogue = {
  'There is no run "{1}".': '実行「{1}」が見つかりません。',
  '`dandori runs` lists the runs.': LIST_RUNS,
  'There is no conversation "{1}".': '会話「{1}」が見つかりません。',
  '`dandori chat --list` lists the conversations.': '`dandori chat --list` で一覧を確認してください。',
  'There is no run "{1}" in this conversation.': 'この会話に実行「{1}」はありません。',
  'There is no model "{1}" here.': 'モデル「{1}」は設定されていません。',
  'Choose {1}, or another of {2}/….': '{1}、または {2}/… のモデルを選んでください。',
  'Choose {1}.': '{1} を選んでください。',
  'The store has {1}, but no {2}. Part of what it stores would be lost.':
    'ストアに {2} がありません（あるのは {1}）。このままでは保存内容の一部が失われます。',
  'no parts': '何もなし',
  'unknown error': '不明なエラー',
  'The run {1} uses tools of a program ({2}), and this process has none.':
    '実行 {1} はプログラムのツール（{2}）を使いますが、このプロセスにはありません。',
  "Continue it in that program: dandori.open('{1}').output().":
    "そのプログラムで再開してください：dandori.open('{1}').output()",
  'Give all four as `store`, such as { ...createFileStore(folder), journal }, or none. What need not be kept is in createMemoryStore().':
    '4 つすべてを `store` に渡すか（例：{ ...createFileStore(folder), journal }）、1 つも渡さないでください。保存が不要なものは createMemoryStore() を使えます。',
  '{1} is not connected.': '{1} は接続されていません。',
  '{1} takes the number of an event, not "{2}".': '{1} にはイベント番号を指定してください（現在の値：{2}）。',
  '`dandori log` shows the number of each event first.':
    'イベント番号は `dandori log` の行頭に表示されます。',
  '`dandori {1}` works on the runs of this machine only.': '`dandori {1}` はこのマシンの実行にだけ使えます。',
  'Run it where the server runs, without --server.':
    'サーバーのあるマシンで、--server なしで実行してください。',
  'openDandori: {1} cannot be passed beside a loaded config.':
    'openDandori：読み込み済みの config と {1} は同時に渡せません。',
  'Pass it to loadConfig({ layers }), or pass what the file contains as `config`.':
    'loadConfig({ layers }) に渡すか、ファイルの内容を `config` に渡してください。',
  'cancelled by the program': 'プログラムが中止しました',
  'The run {1} waits for an answer: {2}': '実行 {1} は回答待ちです：{2}',
  'Pass `onQuestion`, call `run.answer`, or wait for an answer from elsewhere: `run.output({ wait: true })`.':
    '`onQuestion` を渡すか、`run.answer` を呼ぶか、別の場所からの回答を `run.output({ wait: true })` で待ってください。',
  'The run {1} has stopped and not ended.': '実行 {1} は止まっていますが、終了していません。',
  'Continue it with `run.resume()`. Await the output before you close Dandori.':
    '`run.resume()` で再開してください。Dandori を閉じる前に output を await してください。',
  'aborted by the program': 'プログラムが中止しました',
  '{1} is not available: {2}.': '{1} は利用できません：{2}。',
  'limit reached: {1}': '上限に達しました：{1}',
  'The run {1} ended without an answer ({2}): {3}': '実行 {1} は回答を得られずに終了しました（{2}）：{3}',
  'Its report says what was done: `run.report()`, or `dandori show {1}`.':
    '実行した内容は `run.report()` または `dandori show {1}` で確認できます。',
  'The output is no JSON Schema that can be used: {1}': '出力の JSON Schema を利用できません：{1}',
  'Pass a JSON Schema, such as {"type": "object", "properties": {"city": {"type": "string"}}}.':
    'JSON Schema を渡してください（例：{"type": "object", "properties": {"city": {"type": "string"}}}）。',
  '{1} holds no JSON Schema.': '{1} は JSON Schema ではありません。',
  'Write a JSON Schema, such as {"type": "object", "properties": {"city": {"type": "string"}}}.':
    'JSON Schema を書いてください（例：{"type": "object", "properties": {"city": {"type": "string"}}}）。',
  'The output does not fit: {1}': '出力がスキーマに合いません：{1}',
  'Express the rule in the schema, or check the output yourself.':
    'ルールをスキーマで表すか、出力を自分で検証してください。',
  'There are no runs yet.': '実行はまだありません。',
  'Start one: dandori run "100 + 200を計算"': '開始：dandori run "100 + 200を計算"',
  '"{1}" fits {2} runs: {3}…': '「{1}」に一致する実行が {2} 件あります：{3}…',
  'Give more of the id.': 'ID をもう少し長く指定してください。',
  '--server takes an address, not "{1}".': '--server にはアドレスを指定してください（現在の値：{1}）。',
  'Give one such as http://127.0.0.1:4310.': '例：http://127.0.0.1:4310',
  'there is nothing in "{1}"': '「{1}」に値がありません',
  '"{1}" is not a duration': '「{1}」は時間として読み取れません',
  'there is no limit "{1}"': '「{1}」という上限はありません',
  '"{1}" is not an amount of {2}': '「{1}」は {2} の値として読み取れません',
  '--raise: {1}.': '--raise：{1}。',
  'Write amounts, {1}.': '値は次のように書きます：{1}',
  'such as steps=5,calls=10,tokens=50000,tasks=20,revisions=2,cost=0.5,time=10m':
    '例：steps=5,calls=10,tokens=50000,tasks=20,revisions=2,cost=0.5,time=10m',
  'Cannot write the output: {1}': '出力を書き込めません：{1}',
  'The run {1} has no question "{2}".': '実行 {1} に質問「{2}」はありません。',
  'Open questions: {1}.': '回答待ちの質問：{1}',
  'The run has no open question.': '回答待ちの質問はありません。',
  'The question {1} expired at {2}.': '質問 {1} は {2} に回答期限を過ぎました。',
  'The question {1} expired.': '質問 {1} は回答期限を過ぎました。',
  'See the run: `dandori show {1}`. questions.expire_after gives more time to the next runs.':
    '実行の状態は `dandori show {1}` で確認できます。次からの期限は questions.expire_after で延ばせます。',
  'The question {1} was already answered by {2}: {3}.': '質問 {1} は {2} が回答済みです：{3}',
  'The question {1} was already answered: {2}.': '質問 {1} は回答済みです：{2}',
  'it was declined': '回答しない',
  '{1}. Users who may answer {2}: {3}.': '{1}。{2} に回答できるユーザー：{3}',
  'The answer names no user': '回答者が指定されていません',
  '{1} may not answer': '{1} は回答できません',
  'Let one of them answer (`--user ID`), or add the user to questions.answerers for the next runs.':
    '該当するユーザーで回答するか（`--user ID`）、次の実行のために questions.answerers に追加してください。',
  'The answer to {1} has {2} characters; {3} are the most.':
    '{1} への回答が長すぎます（{2} 文字、上限 {3} 文字）。',
  'Write a shorter text.': SHORTER,
  'The answer to {1} does not fit its form: {2}.': '{1} への回答がフォームに合いません：{2}',
  'Correct these fields and answer again.': '項目を直して、もう一度回答してください。',
  '{1} is not an answer to {2}.': '{1} は {2} の選択肢にありません。',
  'Answer one of: {1}.': '次から選んでください：{1}',
  '{1} asks about a call, and only a plan can be edited.':
    '{1} は呼び出しの承認です。編集できるのは計画だけです。',
  'Approve or reject the call as it is.': '呼び出しをそのまま承認するか、却下してください。',
  '{1} does not ask for an approval: {2}': '{1} は承認の質問ではありません：{2}',
  'Answer it with `dandori answer {1} {2} <answer>`.': '`dandori answer {1} {2} <回答>` で回答してください。',
  'Nothing in the run {1} waits for an approval.': '実行 {1} に承認待ちのものはありません。',
  '{1} questions of the run {2} wait for an approval.': '実行 {2} に承認待ちの質問が {1} 件あります。',
  'See it with `dandori show {1}`.': '`dandori show {1}` で確認してください。',
  'Say which: {1}.': 'どれかを指定してください：{1}',
  'olderThan takes milliseconds from 0, not {1}.':
    'olderThan には 0 以上のミリ秒を指定してください（現在の値：{1}）。',
  'Give the time since the last event: 30 days are 2_592_000_000.':
    '最後のイベントからの時間を指定してください（30 日は 2_592_000_000）。',
  'The run {1} has no beginning or no end.': '実行 {1} の先頭または末尾がありません。',
  'The run {1} has ended ({2}).': '実行 {1} は終了しています（{2}）。',
  'The run {1} has ended (answered).': '実行 {1} は終了しています（完了）。',
  'The run {1} has ended (failed).': '実行 {1} は終了しています（失敗）。',
  'The run {1} has ended (cancelled).': '実行 {1} は終了しています（中止）。',
  'The run {1} has ended (exhausted).': '実行 {1} は終了しています（上限到達）。',
  'There is no standing approval "{1}".': '「今後も承認」の登録 {1} が見つかりません。',
  '{1} cannot be written as JSON: {2}.': '{1}を JSON で表せません：{2}',
  '{1} cannot be stored: {2}.': '{1} は保存できません：{2}',
  'Give a value of the declared type. A number must be finite.':
    '宣言された型の値を指定してください。数値は有限でなければなりません。',
  'The answer to {1}': '{1} への回答',
  'The plan': '計画',
  'An answer': '回答',
  'it is nested too deeply': '入れ子が深すぎます',
  'Give texts, numbers, true, false, null, lists and objects of these.':
    '文字列、数値、true、false、null と、それらのリストやオブジェクトだけを使ってください。',
  'The task {1} has a timeout without a unit.': 'タスク {1} の timeout に単位がありません。',
  'Write timeoutMs, in milliseconds. Only plan files have timeout, in seconds.':
    'timeoutMs（ミリ秒）を使ってください。timeout（秒）は計画ファイルだけの項目です。',
  'The {1} has {2} characters; {3} are the most.': '{1}が長すぎます（{2} 文字、上限 {3} 文字）。',
  comment: 'コメント',
  note: '追加指示',
  reason: '理由',
  goal: '目標',
  'Correct the plan. `dandori check`, or POST /api/plans/check, compiles a plan and runs nothing.':
    '計画を修正してください。`dandori check` または POST /api/plans/check で、実行せずにチェックできます。',
  'This key was used for another run.': 'このキーは別のリクエストの実行に使用済みです。',
  'Use a new key for each new run; send the same key only with the same request.':
    '新しい実行には新しいキーを使ってください。同じキーは同じリクエストの再送だけに使えます。',
  'The goal is empty.': '目標が空です。',
  'Say what you want: dandori run "100 + 200を計算"':
    'やりたいことを指定してください：dandori run "100 + 200を計算"',
  'Put the text into a file and let a tool read it.':
    '文章はファイルに保存し、ツールに読み取らせてください。',
  'The note is empty.': '追加指示が空です。',
  'Write it: dandori note RUN "…"': '指示を書いてください：dandori note RUN "…"',
  'The run {1} has not ended, so there is nothing to rate.':
    '実行 {1} はまだ終了していないため、評価できません。',
  'Resume it with `dandori resume {1}`, or end it with `dandori cancel {2}`.':
    '`dandori resume {1}` で再開するか、`dandori cancel {2}` で中止してください。',
  'A rating is a whole number from 1 to 5, not {1}.': '評価は 1 から 5 の整数です（現在の値：{1}）。',
  'A rating is good, bad or a whole number from 1 to 5, not "{1}".':
    '評価は good、bad、または 1 から 5 の整数です（現在の値：{1}）。',
  'Give 5 for a run that was just right, 1 for one of no use.': '申し分なければ 5、役に立たなければ 1 です。',
  'Give 5 (good) for a run that was just right, 1 (bad) for one of no use.':
    '申し分なければ 5（good）、役に立たなければ 1（bad）です。',
  'This key was used for another message.': 'このキーは別のメッセージに使用済みです。',
  'Use a new key for each new message; send the same key only with the same text.':
    '新しいメッセージには新しいキーを使ってください。同じキーは同じメッセージの再送だけに使えます。',
  'The result {1} does not match its hash.': '結果 {1} の内容がハッシュと一致しません。',
  '"{1}" cannot be the name of a schema.': '「{1}」はスキーマ名に使えません。',
  'Use small letters, digits and underscores, such as dandori.':
    'dandori のように、小文字、数字、アンダースコアを使ってください。',
  'The tables of the store have version {1}, and this Dandori needs {2}.':
    'ストアのテーブルはバージョン {1} ですが、この Dandori にはバージョン {2} が必要です。',
  'Stop the other servers, then run `dandori store migrate`.':
    'ほかのサーバーを停止してから `dandori store migrate` を実行してください。',
  'The package pg-boss is not installed.': 'パッケージ pg-boss がインストールされていません。',
  'Run `npm install pg-boss`, or remove `dispatcher` from `store` in dandori.yaml.':
    '`npm install pg-boss` を実行するか、dandori.yaml の `store` から `dispatcher` を削除してください。',
  'pg-boss cannot use its tables: {1}.': 'pg-boss がテーブルを使用できません：{1}。',
  'The package @restatedev/restate-sdk is not installed.':
    'パッケージ @restatedev/restate-sdk がインストールされていません。',
  'Run `npm install @restatedev/restate-sdk`, or remove `dispatcher` from `store` in dandori.yaml.':
    '`npm install @restatedev/restate-sdk` を実行するか、dandori.yaml の `store` から `dispatcher` を削除してください。',
  'Cannot listen for Restate at {1}: {2}.': 'Restate 用のアドレス {1} で待ち受けできません：{2}。',
  'Choose another `store.restate.listen`. On Linux the processes of one user can share a port.':
    '`store.restate.listen` に別のアドレスを指定してください。Linux では、同じユーザーのプロセスがポートを共有できます。',
  'The dispatcher restate needs to know where Restate is.':
    'ディスパッチャー restate には、Restate のアドレスが必要です。',
  'Add `restate: { ingress, admin, listen }` to `store`.':
    '`store` に `restate: { ingress, admin, listen }` を追加してください。',
  'Both names are the same store.': '2 つの名前は同じストアを指しています。',
  'Name the store to copy from, then the one to copy to.':
    'コピー元、コピー先の順にストアを指定してください。',
  'Write `dandori store copy FROM TO` or `dandori store migrate`.':
    '`dandori store copy FROM TO` または `dandori store migrate` と入力してください。',
  'A store is a folder, a dandori.yaml, or the address of a database.':
    'ストアには、フォルダー、dandori.yaml、データベースのアドレスを指定できます。',
  'There is no store "{1}".': 'ストア「{1}」がありません。',
  'The runs of {1} are stored in memory and cannot be copied.':
    '{1} の実行はメモリに保存されているため、コピーできません。',
  'The database has no runs in the schema "{1}".': 'データベースのスキーマ「{1}」に実行がありません。',
  'Name the schema in the address: postgres://host/database?schema=dandori':
    'アドレスでスキーマを指定してください：postgres://host/database?schema=dandori',
  'The run {1} contains secrets, and the other store has another key.':
    '実行 {1} にはシークレットが含まれますが、コピー先のストアのキーが異なります。',
  'The other store has another {1}, or it went on there in another way.':
    'コピー先に別の {1} があるか、コピー先で別の形で進んでいます。',
  'Install the version of Dandori that the others use.':
    'ほかのサーバーと同じバージョンの Dandori をインストールしてください。',
  'The database cannot be reached: {1}.': 'データベースに接続できません：{1}',
  'Check that PostgreSQL runs and that `store.url` is right. Runs continue when it is back.':
    'PostgreSQL が起動していることと `store.url` を確認してください。復旧すると実行は再開します。',
  'Runs are stored in files, which need no migration.':
    '実行はファイルに保存されているため、移行は不要です。',
  'Set `store` in dandori.yaml to use a database.':
    'データベースを使うには、dandori.yaml の `store` を設定してください。',
  'must be the address of a PostgreSQL database, such as ${DATABASE_URL}':
    'には ${DATABASE_URL} のような PostgreSQL データベースのアドレスを指定してください',
  'This driver no longer holds the run {1}; it stops.':
    'このプロセスは実行 {1} のリースを失ったため、停止します。',
  'Another driver has written to the run {1}; this one stops.':
    '別のプロセスが実行 {1} に書き込んだため、このプロセスは停止します。',
  'There is no result of "{1}" in the run {2}.': '実行 {2} に「{1}」の結果はありません。',
  'The report of the run says which tasks have succeeded.': '完了したタスクは実行の報告で確認できます。',
  'The result of {1} has nothing at {2}.': '{1} の結果に {2} はありません。',
  'Ask without a path to see what there is.': 'パスを省略すると、全体を確認できます。',
  'Its events are 1 to {1}: see them with `dandori log {2}`.':
    'イベントは 1 から {1} です。`dandori log {2}` で確認してください。',
  'The run {1} has no event {2}.': '実行 {1} にイベント {2} はありません。',
  'The event to fork from is missing.': '分岐するイベントが指定されていません。',
  'Give it as `at` (--at). {1}': '`at`（--at）で指定してください。{1}',
  'The run {1} was cancelled with event {2}; nothing can follow.':
    '実行 {1} はイベント {2} で中止されています。続きはありません。',
  'The run {1} ended with event {2}; nothing can follow.':
    '実行 {1} はイベント {2} で終了しています。続きはありません。',
  'Fork it before that: --at {1}, or earlier.': '--at {1} 以前で分岐してください。',
  'At event {1} no question "{2}" was asked.': 'イベント {1} の時点で質問「{2}」はありません。',
  '`dandori log {1}` shows where it was asked; fork at that event or later.':
    '質問のイベントを `dandori log {1}` で確認し、それ以降で分岐してください。',
  'At event {1} the question {2} was already answered.': 'イベント {1} の時点で質問 {2} は回答済みです。',
  'Fork before the answer, or leave out --at: it is taken from the answer.':
    '回答の前で分岐するか、--at を省略してください（回答の位置から決まります）。',
  'The call of {1} that asked {2} was made, and has ended with what it was told then.':
    '{2} を質問した {1} の呼び出しは、当時の回答で終了しています。',
  'The sub-goal of {1} that asked {2} is not forked: both runs share it.':
    '{2} を質問した {1} の部分目標は分岐されず、両方の実行で共有されます。',
  'Fork before the call: --at {1}. It is made again then, with its effect, and asks again.':
    '呼び出しの前（--at {1}）で分岐してください。呼び出しは再度行われ、改めて質問します。',
  'Correct the plan; nothing was forked.': '計画を修正してください。分岐は行っていません。',
  'The run {1} has not ended.': '実行 {1} は終了していません。',
  'Run `dandori resume {1}`, then save it.': '`dandori resume {1}` で再開してから保存してください。',
  "The run {1} was cancelled, and a test can't repeat that.":
    '実行 {1} は中止されており、その時点をテストで再現できません。',
  'Save a run that ended by itself.': '最後まで進んだ実行を保存してください。',
  'folding the journal twice gives two states, which is a bug in Dandori':
    'ジャーナルを 2 回読むと状態が異なります（Dandori の不具合です）',
  'the run {1} that it was forked from has another event there': '分岐元の実行 {1} のイベントと異なります',
  'The run {1} is already running in {2}.': '実行 {1} は別のプロセス（{2}）で実行中です。',
  'this process': 'このプロセス',
  'process {1} on {2}': '{2} のプロセス {1}',
  'Watch it with `dandori log {1} --follow`, or stop it with `dandori cancel {2}`. If that process is gone for good, delete {3}.':
    '`dandori log {1} --follow` で確認するか、`dandori cancel {2}` で中止してください。そのプロセスが存在しない場合は {3} を削除してください。',
  'Watch it with `dandori log {1} --follow`, or stop it with `dandori cancel {2}`.':
    '`dandori log {1} --follow` で確認するか、`dandori cancel {2}` で中止してください。',
  'The {1} is at event {2}, not {3}: another process wrote to it.':
    '{1}はイベント {3} ではなく {2} です。別のプロセスが書き込みました。',
  'An event with seq {1} was about to be written where {2} must come.':
    '番号 {2} のイベントが必要なところに、番号 {1} が書き込まれようとしました。',
  run: '実行',
  conversation: '会話',
  'The {1} {2} already exists.': '{1} {2} はすでにあります。',
  'The result {1} is missing.': '保存済みの結果 {1} がありません。',
  'The stored result {1} is missing.': '保存済みの結果 {1} がありません。',
  'The stored result {1} does not match its hash.': '保存済みの結果 {1} の内容が名前と一致しません。',
  "Restore the file from a backup; the run can't continue without it.":
    'バックアップから復元してください。それまで実行を再開できません。',
  'Restore the file from a backup; `dandori doctor` checks all files.':
    'バックアップから復元してください。ほかの破損は `dandori doctor` で確認できます。',
  '{1} Nothing was changed, and other runs are not affected.':
    '{1}何も変更していません。ほかの実行に影響はありません。',
  '{1}: line {2} (byte {3}) is damaged: {4}.': '{1} の {2} 行目（{3} バイト目）が破損しています：{4}',
  'it is not JSON ({1})': 'JSON ではありません（{1}）',
  'it is not a known event ({1})': '不明なイベントです（{1}）',
  'it is not an event of a known version ({1})': 'このバージョンで扱えないイベントです（{1}）',
  'it belongs to the {1} {2}': '{1} {2} のものです',
  'it has seq {1} where {2} must come': '番号が {2} ではなく {1} です',
  'it must be {1}, and is {2}': '{1} ではなく {2} です',
  'Cannot write {1}: {2}': '{1} に書き込めません：{2}',
  'Cannot read {1}: {2}': '{1} を読み取れません：{2}',
  'Give this user the right to write there, or set planning.history.directory to another folder.':
    'このユーザーに書き込み権限を付与するか、planning.history.directory を別のフォルダーにしてください。',
  'The file system is read-only: set planning.history.directory to a folder on another one.':
    '読み取り専用のファイルシステムです。planning.history.directory を別の場所にしてください。',
  'A part of the path is a file: set planning.history.directory to a folder.':
    'パスの途中がファイルです。planning.history.directory にフォルダーを指定してください。',
  'A file is in the way: set planning.history.directory to a folder.':
    '同名のファイルがあります。planning.history.directory にフォルダーを指定してください。',
  '{1}, then start the run again: it was not saved.':
    '{1}。その後、もう一度開始してください（実行は保存されていません）。',
  '{1}, then `dandori resume` the run.': '{1}。その後、`dandori resume` で再開してください。',
  'The disk is full: make space': 'ディスクがいっぱいです。空きを増やしてください',
  'The disk quota is used up: make space': 'ディスクの割り当てを使い切りました。空きを増やしてください',
  'Check the disk and the folder': 'ディスクとフォルダーを確認してください',
  'Check the folder, its permissions and the number of open files.':
    'フォルダーとその権限、開いているファイルの数を確認してください。',
  'The run {1} has no open question.': '実行 {1} に回答待ちの質問はありません。',
  'See its status with `dandori show {1}`.': '`dandori show {1}` で状態を確認してください。',
  'The run {1} has several open questions.': '実行 {1} に回答待ちの質問が複数あります。',
  'Say which one: {1}.': 'どれかを指定してください：{1}',
  'There is no answer.': '回答が指定されていません。',
  'Give one: dandori answer RUN {1} ANSWER, or --field name=value, or --decline.':
    '次のいずれかで回答してください：dandori answer RUN {1} 回答、--field 名前=値、--decline',
  'No plan of the run {1} waits for an approval.': '実行 {1} に承認待ちの計画はありません。',
  '--wait takes a duration such as 10m, not "{1}".':
    '--wait には 10m のような時間を指定してください（現在の値：{1}）。',
  '{1} already exists.': '{1} はすでにあります。',
  'dandori init --force overwrites it.': 'dandori init --force で上書きできます。',
  'Use a folder that you can write to.': '書き込めるフォルダーに移動してください。',
  '--answer takes QUESTION=VALUE, not "{1}".': '--answer には 質問=値 を指定してください（現在の値：{1}）。',
  'Write it like --answer q1=approve; `dandori log` shows the questions.':
    '例：--answer q1=approve。質問は `dandori log` で確認できます。',
  'No task of the run {1} has succeeded.': '実行 {1} に完了したタスクはありません。',
  'A plan is saved from finished tasks: see them with `dandori show {1}`.':
    '計画は完了した内容から作ります。`dandori show {1}` で確認してください。',
  'Correct what is shown; `dandori check` compiles a plan and runs nothing.':
    '表示された問題を修正してください。`dandori check` で実行せずにチェックできます。',
  'There is no goal.': '目標が指定されていません。',
  'Give one: dandori run "100 + 200を計算", or a plan: --plan FILE':
    '目標（dandori run "100 + 200を計算"）または計画（--plan FILE）を指定してください。',
  '--limit takes a whole number from 1, not "{1}".':
    '--limit には 1 以上の整数を指定してください（現在の値：{1}）。',
  '--for-server is only for processes that `dandori serve` starts.':
    '--for-server は、`dandori serve` が起動するプロセス専用です。',
  'Start `dandori work` without it.': '付けずに `dandori work` を実行してください。',
  '--workers takes a number from 0 to {1}, not "{2}".':
    '--workers には 0 から {1} までの数を指定してください（「{2}」は使えません）。',
  '{1} takes a number from 0 to 65535, not "{2}".':
    '{1} には 0 から 65535 の数を指定してください（現在の値：{2}）。',
  '--role is one of {1}, not "{2}".': '--role は {1} のいずれかです（現在の値：{2}）。',
  'The run {1} has no plan.': '実行 {1} に計画はありません。',
  'It may have been answered without one, or has not been driven yet: see it without --plan.':
    '計画なしで回答したか、まだ開始していません。--plan を付けずに確認してください。',
  '{1} takes a duration, not "{2}".': '{1} には時間を指定してください（現在の値：{2}）。',
  'Write a number with a unit: 30d, 12h or 90m.': UNIT,
  'Removing runs needs a confirmation, and this is not a terminal.':
    '端末ではないため、削除の確認ができません。',
  'Give --yes to remove them, or --dry-run to see which they are.':
    '削除する場合は --yes、対象の確認は --dry-run を付けてください。',
  '{1} {2} stays open.': '{1}{2} は回答待ちのままです。',
  '`dandori approvals` lists them.': '`dandori approvals` で一覧を確認してください。',
  '{1} may approve this call, and only {2} may approve it for good.':
    '{1} はこの呼び出しを承認できますが、「今後も承認」を選べるのは {2} だけです。',
  'Answer `approve` or `approve_for_run`.': '`approve` または `approve_for_run` で回答してください。',
  '"approvals {1}" is not a command.': '「approvals {1}」というコマンドはありません。',
  'List them with `dandori approvals`, then `dandori approvals revoke ID`.':
    '`dandori approvals` で確認し、`dandori approvals revoke ID` で解除してください。',
  'Only one option can be chosen.': '選べるのは 1 つだけです。',
  'The answer does not say which option.': 'どの選択肢か分かりません。',
  'The answer is neither a clear yes nor a clear no.': '承認か却下かが分かりません。',
  'Set VISUAL or EDITOR to one that waits until the file is closed, such as `EDITOR=nano` or `EDITOR="code -w"`.':
    'ファイルを閉じるまで待つエディターを VISUAL または EDITOR に設定してください（例：`EDITOR=nano`、`EDITOR="code -w"`）。',
  'No editor is set.': 'エディターが設定されていません。',
  'The editor {1} cannot be started: {2}': 'エディター {1} を起動できません：{2}',
  '{1} has no form, so --field cannot be used.': '{1} にフォームはないため、--field は使えません。',
  'Give the answer itself: dandori answer RUN {1} ANSWER':
    '回答をそのまま指定してください：dandori answer RUN {1} 回答',
  '--field takes name=value, not "{1}".': '--field には 名前=値 を指定してください（現在の値：{1}）。',
  'Its fields: {1}.': '項目：{1}',
  'The answer to {1} is not JSON: {2}': '{1} への回答が JSON ではありません：{2}',
  'Put it in single quotes, or use --field name=value.':
    '単一引用符で囲むか、--field 名前=値 を使ってください。',
  '{1} has a form of {2} fields.': '{1} のフォームには項目が {2} 個あります。',
  'Give each: {1}, or all as JSON.': 'それぞれ指定するか（{1}）、まとめて JSON で指定してください。',
  'Give { "tasks": [{ "id": …, "operation": …, "args": {…} }, …] }, "approve" or "reject".':
    '{ "tasks": [{ "id": …, "operation": …, "args": {…} }, …] }、"approve"、"reject" のいずれかで回答してください。',
  '{1} asks about tasks that replace another task.': '{1} は、回答でタスクを置き換えた内容の承認です。',
  'Answer "approve" or "reject"; only a plan can be edited.':
    '"approve" または "reject" で回答してください。編集できるのは計画だけです。',
  'Correct what is shown and answer again; the question is still open.':
    '表示された問題を修正し、もう一度回答してください。質問は回答待ちのままです。',
  'The edited plan is not valid.': '編集した計画に問題があります。',
  'The run {1} has no events.': '実行 {1} にイベントがありません。',
  'A run begins with run_started, not with {1}.': '実行の先頭が run_started ではなく {1} です。',
  'A conversation begins with conversation_started, not with {1}.':
    '会話の先頭が conversation_started ではなく {1} です。',
  'Restore its file from a backup, or delete it and start a new run.':
    'バックアップから復元するか、削除して新しい実行を開始してください。',
  'event {1} appears there again': 'イベント {1} が重複しています',
  'it has seq {1}, after {2}': '番号 {1} の前が {2} です',
  'events {1} to {2} are missing before it': 'この前のイベント {1} から {2} がありません',
  'there is no event in it': 'イベントがありません',
  'the last event is complete, but its newline is missing': '最後のイベントは完全ですが、改行がありません',
  'the last write breaks off after event {1}': '最後の書き込みがイベント {1} の後で切れています',
  'event {1} was not completely written': 'イベント {1} が途中までしか書かれていません',
  'it is not the beginning of event {1}': 'イベント {1} の書き出しではありません',
  'does not match its hash': '内容が名前と一致しません',
  'ENOENT: cannot make the folder {1}': 'フォルダー {1} を作成できません',
  'it has no key': 'キーがありません',
  'it is gone': 'ファイルがなくなりました',
  'its checksum does not match': 'チェックサムが一致しません',
  'unknown form': '不明な形式',
  'unknown (see {1})': '不明（{1} を参照）',
  'the file ends there, and {1} bytes of it were read before':
    'ファイルがここで終わっています（以前は {1} バイト読み取りました）',
  '{1} has been held by process {2} on {3} for {4} s.':
    '{1} を {3} のプロセス {2} が {4} 秒間保持しています。',
  'If that process is gone for good, delete the file.':
    'そのプロセスが存在しない場合は、ファイルを削除してください。',
  'The event itself is complete: add a newline right after its last }.':
    'イベントは完全です。最後の } の直後に改行を入れてください。',
  'its newline at the end is missing': '末尾の改行がありません',
  'Look at it; `dandori doctor --repair` asks, then removes it.':
    '内容を確認してください。`dandori doctor --repair` は確認後に削除します。',
  'data follows the last event, and it is not the beginning of event {1}':
    '最後のイベントの後に、イベント {1} ではないデータがあります',
  'other users can {1} it (its mode is {2}, and should be 600)':
    'ほかのユーザーが{1}できます（モード {2}、600 にしてください）',
  read: '読み取り',
  change: '変更',
  'it was held by {1}': '保持していたプロセス：{1}',
  'it is held by {1}': '保持しているプロセス：{1}',
  'no process': 'なし',
  'it was last written {1}': '最終書き込み：{1}',
  'it is the result of {1}': '{1} の結果です',
  'events {1} to {2} are missing at its end': '末尾のイベント {1}〜{2} がありません',
  'it says event {1}, {2}; the events say {3}, {4}':
    '行はイベント {1}、{2} としていますが、イベントは {3}、{4} です',
  'no readable run uses it': '読み取れる実行では使われていません',
};
