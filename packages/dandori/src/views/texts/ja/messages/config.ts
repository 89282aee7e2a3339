import type { Catalogue } from '../../translate.ts';

/** What a value must be, after its key, and with the value that stands there. */
function must(english: string, japanese: string): Catalogue {
  const said = `には${japanese.startsWith('{') ? ' ' : ''}${japanese}を指定してください`;
  return {
    [`{8} must be ${english}`]: `{8} ${said}`,
    [`{8} must be ${english}, not {9}`]: `{8} ${said}（現在の値：{9}）`,
    [`it must be ${english}`]: `${japanese}を指定してください`,
  };
}

function wrong(english: string, japanese: string): Catalogue {
  return {
    [`{8} ${english}`]: `{8} ${japanese}`,
    [`{8} ${english}, not {9}`]: `{8} ${japanese}（現在の値：{9}）`,
    [`it ${english}`]: japanese,
  };
}

const ENVIRONMENT = '`${NAME}`';

/** Problems in dandori.yaml and in other files that are read with their places. */
export const config: Catalogue = {
  '{1} error[{2}]: {3}': '{1} エラー[{2}]：{3}',
  '{1} warning[{2}]: {3}': '{1} 警告[{2}]：{3}',
  '{1} error: {2}': '{1} エラー：{2}',
  '{1} warning: {2}': '{1} 警告：{2}',
  'hint: {1}': 'ヒント：{1}',
  'see docs/errors/{1}.md': '詳しくは docs/ja/errors.md#{1}',
  '{1} has {2} problems': '{1} に問題が {2} 件あります',
  '… and {1} more': '…ほか {1} 件',
  'the configuration': '設定',
  'the file': 'ファイル',
  'the user': 'ユーザー',
  'a list': 'リスト',
  'a group of keys': 'キーのグループ',
  ...must('a whole number of {1} or more, such as {2}', '{1} 以上の整数（例：{2}）'),
  ...must('a number from {1} to {2}, such as {3}', '{1} から {2} の数値（例：{3}）'),
  ...must('US$ per million tokens, such as {1}', ' 100 万トークンあたりの米ドル（例：{1}）'),
  ...must('US dollars, more than 0, such as {1}', ' 0 より大きい米ドル（例：{1}）'),
  ...must('US dollars, such as {1}', '米ドル（例：{1}）'),
  ...must('text, such as {1}', '文字列（例：{1}）'),
  ...must('text, or a file such as {1}', '文字列、またはファイル（例：{1}）'),
  ...must('true or false', ' true または false '),
  ...must('{1} or {2}', ' {1} または {2} '),
  ...must('{1}', ' {1} '),
  ...must('an http or https address, such as {1}', ' http または https のアドレス（例：{1}）'),
  ...must('a group of keys, such as {1}', 'キーのグループ（例：{1}）'),
  ...must('a group of keys ({1})', 'キーのグループ（{1}）'),
  ...must('a group of servers by name, such as {1}', 'サーバー名ごとのグループ（例：{1}）'),
  ...must('a group of tools, such as {1}', 'ツールごとのグループ（例：{1}）'),
  ...must('a group of arguments, such as {1}', '引数のグループ（例：{1}）'),
  ...must('a list, such as {1}', 'リスト（例：{1}）'),
  ...must('a list of ids, such as {1}', ' ID のリスト（例：{1}）'),
  ...must(
    'a JMESPath condition such as {1}, or a JSON Schema',
    ' JMESPath の条件（例：{1}）または JSON Schema ',
  ),
  ...must('a JMESPath expression, such as {1}', ' JMESPath の式（例：{1}）'),
  ...must(
    'a number of seconds or a duration of at most 24 days, such as {1}',
    '秒数、または 24 日以内の時間（例：{1}）',
  ),
  ...must('the name of an environment variable, such as {1}', '環境変数の名前（例：{1}）'),
  ...must('server.tool, such as {1}', ' server.tool の形（例：{1}）'),
  ...must('an effect, or a group such as {1}', '影響、またはグループ（例：{1}）'),
  ...must(
    'the SHA-256 of a token in 64 hexadecimal digits; `dandori token` makes both',
    'トークンの SHA-256（16 進 64 桁、`dandori token` で作成）',
  ),
  ...must(
    'a port from 0 (any free one) to 65535, such as {1}',
    ' 0（空きポート）から 65535 のポート（例：{1}）',
  ),
  ...wrong('must name two tools or more, such as {1}', 'には 2 つ以上のツールを指定してください（例：{1}）'),
  ...wrong(
    'must name one user or more, such as {1}; without it anybody may answer',
    'には 1 人以上のユーザーを指定してください（例：{1}）。省略すると誰でも回答できます',
  ),
  ...wrong(
    'must have {user_id} behind the host: a user must not choose who is asked',
    'の {user_id} はホスト名より後に置いてください（問い合わせ先をユーザーに選ばせないため）',
  ),
  ...wrong(
    'must hold no user and password: put them in {1}',
    'にユーザー名とパスワードを含めないでください。{1} に書いてください',
  ),
  ...wrong(
    'cannot be the name of a server: it begins with a letter and holds letters, digits, _ and -',
    'はサーバー名に使えません。英字で始め、英数字、_、- を使ってください',
  ),
  ...wrong(
    'cannot be aimed: write the tool as server.tool',
    'に対象の引数を設定できません。server.tool の形で書いてください',
  ),
  ...wrong(
    'must be a group of tools, such as { mail.send: { aim: [to, cc] } }',
    'にはツールの設定を書いてください（例：{ mail.send: { aim: [to, cc] } }）',
  ),
  ...wrong(
    'cannot be set here: write the tool as server.tool, or set effect and trusted where your program defines the tool',
    'はここでは設定できません。server.tool の形で書くか、プログラムのツール定義で effect と trusted を設定してください',
  ),
  ...wrong('cannot be used: {1} {2}', 'を使用できません：{1} {2}'),
  ...wrong(
    'needs settled_when, which says from its result whether the call took effect',
    'には settled_when が必要です（結果から、呼び出しが反映されたかを判定する式）',
  ),
  ...wrong('belongs to a probe, and there is none', 'は probe と一緒に使いますが、probe がありません'),
  ...wrong(
    'has no unit here: write `timeoutMs` in milliseconds; `timeout` in a plan file is in seconds',
    'に単位がありません。ここでは `timeoutMs`（ミリ秒）を使ってください。計画ファイルの `timeout` は秒です',
  ),
  ...wrong(
    'must be there, unless "declined" is true',
    'を指定してください（"declined" が true の場合を除く）',
  ),
  ...wrong(
    'must stand without "operation": a step calls no tool itself',
    'は "operation" と一緒には使えません。ステップ自体はツールを呼び出しません',
  ),
  ...wrong('names no amount', 'に値がありません'),
  '{1} is missing': '{1} がありません',
  'unknown key {1} in {2}': '{2} に {1} というキーはありません',
  'unknown key {1}': '{1} というキーはありません',
  'did you mean {1}?': '{1} ですか？',
  'did you mean "{1}"?': '「{1}」ですか？',
  'did you mean "{1}", which belongs {2}?': '「{1}」ですか？（場所：{2}）',
  'did you mean "task_timeout" (one call) or "max_time" (the whole run)?':
    '「task_timeout」（1 回の呼び出し）または「max_time」（実行全体）ですか？',
  'did you mean "operation" (the tool) or "id"?': '「operation」（ツール）または「id」ですか？',
  'did you mean "type"? It may be left out: command or url tell it':
    '「type」ですか？ command か url があれば省略できます',
  'did you mean {1}, which is set?': '{1} ですか？（設定済み）',
  'write "timeout": a number is seconds, and 500ms is milliseconds':
    '「timeout」を使ってください。数値だけなら秒、500ms ならミリ秒です',
  'put it in quotes': '引用符で囲んでください',
  '{1} belongs {2}': '{1} の場所：{2}',
  'known here: {1}': '使えるキー：{1}',
  'model {1} names no provider': 'model {1} にプロバイダーがありません',
  'write provider/name, such as openai/gpt-5-mini; the providers are {1}':
    'openai/gpt-5-mini のように「プロバイダー/名前」で書いてください。プロバイダー：{1}',
  'at the top': '最上位',
  'under {1}': '{1} の下',
  'put the key in an environment variable and its name in model.api_key_env; a key in a file leaks':
    'API キーは環境変数に入れ、その名前を model.api_key_env に書いてください（ファイルに書くと漏れます）',
  'set "approval" instead: under execution for all calls, here for a server, under effects for a tool':
    '承認の範囲は「approval」で決めます。全体は execution、サーバーごとはここ、ツールごとは effects に書きます',
  'merge keys are not supported; use an alias (*name) for the whole value':
    'マージキーは使えません。値全体をエイリアス（*name）にしてください',
  'effects: {1} is a server; its approval is set under mcpServers':
    'effects：{1} はサーバーです。承認の範囲はサーバー側に書きます',
  'write mcpServers.{1}.approval': 'mcpServers.{1}.approval に書いてください',
  'effects: for all tools of {1}, only the approval can be set':
    'effects：{1} の全ツールに設定できるのは approval だけです',
  'write {1}, and everything else for each tool': '{1} と書き、ほかはツールごとに書いてください',
  'set it: export {1}=…': '設定してください：export {1}=…',
  'the environment variable {1} is not set, and {2} needs it':
    '環境変数 {1} が設定されていません（{2} に必要です）',
  'set it (export {1}=…), or give a default: {2}': '設定するか（export {1}=…）、既定値を書いてください：{2}',
  '{1}: {2} is not an environment variable': '{1}：{2} は環境変数として読み取れません',
  "a default is plain text and can't contain another variable":
    '既定値は文字列だけです。別の変数は入れられません',
  'write ${NAME}, ${secret:NAME} or ${NAME:-default}, and $${ where ${ is meant as text': `${ENVIRONMENT}、\${secret:NAME}、\${NAME:-既定値} のように書いてください。文字としての \${ は $\${ と書きます`,
  'the path is relative to {1}': 'パスの基準：{1}',
  'instructions: "{1}" is a file': 'instructions：「{1}」はファイルです',
  'write { file: {1} }': '{ file: {1} } と書いてください',
  'paths are relative to {1}': 'パスの基準：{1}',
  'there are both dandori.yaml and dandori.yml, and only one can be used':
    'dandori.yaml と dandori.yml の両方があります。使えるのは一方だけです',
  'remove one of them, or choose one with --config': '一方を削除するか、--config で選んでください',
  'correct what is shown; `dandori init` writes a file with every key and its default':
    '表示された問題を修正してください。`dandori init` で全キーと既定値の入ったファイルを作成できます',
  'correct what is shown; plan.schema.json describes a plan':
    '表示された問題を修正してください。計画の形式は plan.schema.json にあります',
  '{1} and {2} are the same key': '{1} と {2} は同じキーです',
  'keep one of them': 'どちらか一方だけにしてください',
  'unknown key {1} in limits': 'limits に不明なキー {1} があります',
  'put all servers under one of them': '一方にまとめてください',
  'services[{1}]: there is no file {2}': 'services[{1}]：ファイル {2} がありません',
  'set these variables in the shell that starts Dandori':
    'Dandori を起動するシェルで環境変数を設定してください',
  '{1}.base_url is missing, and openai-compatible needs the address of the server':
    '{1}.base_url がありません。openai-compatible では接続先が必要です',
  'add base_url: http://localhost:8080/v1': 'base_url: http://localhost:8080/v1 のように追加してください',
  'set it (export {1}=…), name another one in {2}.api_key_env, or remove {3} to use the built-in planner':
    '設定するか（export {1}=…）、{2}.api_key_env に別の変数を書いてください。{3} を消すと内蔵プランナーを使います',
  'set it (export {1}=…), name another one in {2}.api_key_env, or remove {3}':
    '設定するか（export {1}=…）、{2}.api_key_env に別の変数を書くか、{3} を消してください',
  'a user name or a password': 'ユーザー名やパスワード',
  'leave it out; put a key in an environment variable and its name in {1}.api_key_env':
    '削除してください。API キーは環境変数に入れ、その名前を {1}.api_key_env に書きます',
  '{1} must not contain {2}': '{1} に{2}を含めないでください',
  'a server cannot be called "{1}": Dandori\'s own operations are ({2})':
    'サーバー名に「{1}」は使えません（Dandori が使う名前：{2}）',
  'give it another name': '別の名前にしてください',
  'give command (a program), url (an address) or shipped (one that comes with Dandori)':
    'command（プログラム）、url（アドレス）、shipped（同梱サーバー）のいずれかを書いてください',
  '{1} does not say how to reach the server': '{1} にサーバーの接続方法がありません',
  '{1} has {2}, and a server has only one of them': '{1} に {2} があります。指定できるのは 1 つだけです',
  'keep {1}': '{1} だけを残してください',
  '{1} has {2}, and {3} has no effect with it': '{1} には {2} があるため、{3} は使えません',
  'headers go with url': 'headers は url と一緒に使います',
  '{1} goes with command': '{1} は command と一緒に使います',
  '{1} has {2}, and the type {3} does not go with it': '{1} には {2} があるため、type {3} は使えません',
  'leave type out': 'type を削除してください',
  'command: {1} and args: {2}': 'command: {1} と args: {2} に分けてください',
  '{1}.command must be the program alone': '{1}.command にはプログラム名だけを書いてください',
  'the shipped servers are not installed': '同梱サーバーがインストールされていません',
  'run npm install, or give mcpServers with a command or a url':
    'npm install を実行するか、mcpServers に command か url を書いてください',
  'execution.adaptive_mode: {1} means mode {2}, and execution.mode is {3}':
    'execution.adaptive_mode: {1} は mode {2} の意味ですが、execution.mode は {3} です',
  'keep execution.mode; adaptive_mode is its old name':
    'execution.mode を残してください。adaptive_mode は古い名前です',
  'these rules contradict each other: {1}': '順序のルールが矛盾しています：{1}',
  'remove one of them': '一方を削除してください',
  'it must be a JSON object': 'JSON オブジェクトが必要です',
  'Only an admin may set approval to {1} here.': 'ここで approval を {1} にできるのは管理者だけです。',
  'Leave it out; {1} is configured.': '省略してください。設定は {1} です。',
  "{1} can't be part of an address": '{1} はアドレスに使えません',
  'more than {1} kB': '{1} kB を超えています',
  'no answer within {1} s': '{1} 秒以内に応答がありません',
  'it is not JSON': 'JSON ではありません',
  'the request could not be made; check url and headers':
    'リクエストを送れません。url と headers を確認してください',
  'The configuration of user {1} {2}: {3}': 'ユーザー {1} の設定{2}：{3}',
  'could not be fetched; the run starts without it': 'を取得できないため、設定なしで開始します',
  'did not arrive in time; the run starts without it': 'が時間内に届かないため、設定なしで開始します',
  'was not given; the run starts without it': 'が得られないため、設定なしで開始します',
  'is a redirect, which is not followed; the run starts without it':
    'が別の場所を指しているため（転送には対応していません）、設定なしで開始します',
  'is too large; the run starts without it': 'が大きすぎるため、設定なしで開始します',
  'cannot be read; the run starts without it': 'を読み取れないため、設定なしで開始します',
  'sets what only the file can set, and that is ignored':
    'のうち、ファイルでしか設定できない項目を無視します',
  'is wrong; the run starts without it': 'に問題があるため、設定なしで開始します',
  'this is not JSON: {1}': 'JSON として読み取れません：{1}',
  'the key {1} appears twice': 'キー {1} が重複しています',
  'this is nested too deeply': '入れ子が深すぎます',
  '{1} is not a number that can be used': '{1} は数値として使えません',
  '{1} is larger than {2}, which is the limit': '{1} が大きすぎます（上限 {2}）',
  'check that this is the right file': 'ファイルが正しいか確認してください',
  'check the path: it is relative to the current folder':
    'パスを確認してください（現在のフォルダーが基準です）',
  'there is no file {1}': 'ファイル {1} がありません',
  'it is a folder': 'フォルダーです',
  'permission denied': '権限がありません',
  '{1} cannot be read: {2}': '{1} を読み取れません：{2}',
  'give the path of a file': 'ファイルのパスを指定してください',
  'check the permissions of the file': 'ファイルの権限を確認してください',
  'save the file as UTF-8': 'UTF-8 で保存してください',
  '{1} is UTF-16, and must be UTF-8': '{1} は UTF-16 です。UTF-8 で保存してください',
  '{1}:{2} is not UTF-8': '{1}:{2} は UTF-8 ではありません',
  'the aliases expand to too much': 'エイリアスの展開が大きすぎます',
  'write the values out': '値を直接書いてください',
  'the next line is indented too far: begin it in the same column as this one':
    '次の行の字下げが深すぎます。この行と同じ桁から始めてください',
  'this is not YAML: {1}': 'YAML として読み取れません：{1}',
  'a tab cannot indent a line in YAML': 'YAML の字下げにタブは使えません',
  'there is a second document after ---, and only one is read':
    '--- の後に 2 つ目の文書があります。読むのは 1 つだけです',
  'begin it in the same column as the keys that it belongs with': '対応するキーと同じ桁から始めてください',
  'begin it with "- ", or in the same column as the other keys of its item':
    '「- 」で始めるか、同じ項目の他のキーと同じ桁から始めてください',
  'use spaces': '空白を使ってください',
  'remove the ---, or keep one of the two documents': '--- を削除するか、文書を 1 つにしてください',
  'between { } or [ ] put quotes around a Ref: "${t1.city}"':
    '{ } や [ ] の中の参照は引用符で囲んでください："${t1.city}"',
  'put text that contains a colon in quotes': 'コロンを含む文字列は引用符で囲んでください',
  'there is no anchor &{1} before this': 'これより前にアンカー &{1} がありません',
  '*{1} holds itself': '*{1} が自分自身を含んでいます',
  'there are more than {1} aliases': 'エイリアスが {1} 個を超えています',
  'the tag {1} is not known': '不明なタグです：{1}',
  'remove it': '削除してください',
};
