import type { Catalogue } from '../../translate.ts';

/** `dandori add`, `remove`, `list`, `init`, `doctor`, `models` and `login`. */
export const setup: Catalogue = {
  'Add an MCP server, or import those of another program':
    'MCP サーバーを追加、またはほかのプログラムから取り込む',
  'Import from claude, vscode, cursor or a file': 'claude、vscode、cursor またはファイルから取り込む',
  'Send this header to the address; repeatable': 'アドレスに送るヘッダー（複数指定可）',
  'Set this variable for the command; repeatable': 'コマンドに渡す環境変数（複数指定可）',
  'Replace a server of the same name': '同じ名前のサーバーを置き換える',
  'Add it without connecting to it': '接続せずに追加する',
  'Write the proposed effects without asking': '提案された影響を確認なしで書き込む',
  'Remove MCP servers from the configuration': 'MCP サーバーを設定から削除',
  'List the configured MCP servers': '設定済みの MCP サーバーを一覧表示',
  'Missing: the name of the server, and how to reach it.': 'サーバーの名前と接続方法を指定してください。',
  'dandori add NAME -- COMMAND ARGS…, dandori add NAME https://…, or dandori add --from claude':
    'dandori add NAME -- COMMAND ARGS…、dandori add NAME https://…、または dandori add --from claude',
  'An address takes --header and nothing else.': 'アドレスに付けられるのは --header だけです。',
  '--header goes with an address, and --env with a command.':
    '--header はアドレスに、--env はコマンドに付けます。',
  '{1} takes a name and a value, not "{2}".': '{1} には名前と値を指定します（"{2}" は不可）。',
  'There is no server {1} in {2}.': '{2} にサーバー {1} はありません。',
  'Choose from {1}.': '{1} から選んでください。',
  '{1} already has a server {2}.': '{1} にはサーバー {2} がすでにあります。',
  'Choose another name, or replace it with --replace.': '別の名前にするか、--replace で置き換えてください。',
  '{1} has no server {2}.': '{1} にサーバー {2} はありません。',
  '`dandori list` lists the servers.': '`dandori list` でサーバーを確認できます。',
  'A value with all three kinds of quotes cannot be written to .env.':
    '3 種類の引用符をすべて含む値は .env に書けません。',
  'Set the variable in your shell.': 'シェルで環境変数を設定してください。',
  'There are no MCP servers to import: {1}.': '取り込める MCP サーバーがありません：{1}。',
  'Give --from {1}, or a file with "mcpServers" or "servers".':
    '--from {1}、または "mcpServers" か "servers" のあるファイルを指定してください。',
  'correct what is shown': '表示された箇所を直してください',
  '{1} has comments, which would be lost.': '{1} にはコメントがあり、書き換えると失われます。',
  'Remove the comments, or create a dandori.yaml with `dandori init`.':
    'コメントを消すか、`dandori init` で dandori.yaml を作成してください。',
  'the connection is closed': '接続は閉じています',
  'Check Node, model, servers and stored runs, and say what to do':
    'Node、モデル、サーバー、保存した実行を点検し、対処を示す',
  'List the models that a provider offers': 'プロバイダーのモデルを一覧表示',
  'Write this model, and try it with one call': 'このモデルを設定し、1 回呼び出して確認する',
  "Don't call the model": 'モデルを呼び出さない',
  'Ask nothing; take the options and the defaults': '質問せず、オプションと既定値を使う',
  'There is no provider {1}.': 'プロバイダー {1} はありません。',
  'No model is configured, so there is no provider to ask.':
    'モデルが未設定のため、問い合わせ先のプロバイダーがありません。',
  'Name one: dandori models openai': '指定してください：dandori models openai',
  '{1} did not answer with a list of models.': '{1} からモデルの一覧を取得できませんでした。',
  '{1} cannot be reached: {2}': '{1} に接続できません：{2}',
  '--model takes provider/name, not "{1}".': '--model は provider/name の形で指定します（"{1}" は不可）。',
  'Write a provider ({1}) and a name: --model openai/gpt-5-mini':
    'プロバイダー（{1}）と名前を指定してください：--model openai/gpt-5-mini',
  'Nothing was written.': '何も書き込んでいません。',
  'dandori init --yes asks nothing.': 'dandori init --yes なら質問しません。',
  'Log in to an MCP server with your browser': 'ブラウザーで MCP サーバーにログイン',
  'Log in on another device with a code': '別の端末でコードを入力してログインする',
  'Only show the address to open': '開くアドレスを表示するだけにする',
  'Forget the login of an MCP server': 'MCP サーバーのログイン情報を削除',
  'Log in if the server wants it, also without a terminal':
    'サーバーが求める場合はログインする（端末でなくても）',
  '{1} wants a login: `dandori login NAME`': '{1} にはログインが必要です：`dandori login NAME`',
  'it wants a login': 'ログインが必要です',
  'Cannot log in to {1}: {2}': '{1} にログインできません：{2}',
  'Try again, with --device on a machine without a browser, or set its headers in the configuration.':
    'もう一度試すか、ブラウザーのないマシンでは --device を付けてください。設定の headers に書くこともできます。',
  '{1} has no address, so there is nothing to log in to.': '{1} にはアドレスがないため、ログインできません。',
  '`dandori list` shows the address of each server.': '`dandori list` で各サーバーのアドレスを確認できます。',
  'the login was refused: {1}': 'ログインが拒否されました：{1}',
  'the answer of the browser belongs to another login': 'ブラウザーの応答は別のログインのものです',
  'the login was not completed in time': '時間内にログインが完了しませんでした',
  'its authorization server has no device flow; log in with a browser':
    '認可サーバーが --device に対応していません。ブラウザーでログインしてください',
  '{1} answered with HTTP {2}': '{1} の応答：HTTP {2}',
  'Print the completion script for bash, zsh or fish': 'bash、zsh、fish の補完スクリプトを出力',
  'There is no completion for {1}.': '{1} の補完には対応していません。',
};
