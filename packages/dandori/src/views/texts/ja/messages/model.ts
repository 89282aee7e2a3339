import type { Catalogue } from '../../translate.ts';

/** What goes wrong with a language model. */
export const model: Catalogue = {
  'The model needs an API key. Set {1}.api_key_env to the name of the variable that holds it.':
    'モデルの API キーが必要です。キーを入れた環境変数の名前を {1}.api_key_env に設定してください。',
  'The connection to {1} broke off in the middle of the answer: {2}':
    '{1} との接続が応答の途中で切れました：{2}',
  'The account of {1} has no credit left ({2}): {3}': '{1} の利用枠が残っていません（{2}）：{3}',
  '{1} has too many requests ({2}): {3}': '{1} へのリクエストが多すぎます（{2}）：{3}',
  'The server of {1} failed ({2}): {3}': '{1} のサーバーでエラーが発生しました（{2}）：{3}',
  '{1}. It asks to wait for {2} s': '{1}。{2} 秒待つよう求めています',
  '{1} did not accept the API key ({2}): {3}. Check {4}.api_key_env and the rights of the key.':
    '{1} が API キーを受け付けませんでした（{2}）：{3}。{4}.api_key_env とキーの権限を確認してください。',
  'There is no {1} ({2}): {3}. Check {4}.name and {5}.base_url.':
    '{1} が見つかりません（{2}）：{3}。{4}.name と {5}.base_url を確認してください。',
  '{1} did not accept the request ({2}): {3}. If this server knows no tool calls, or not so many tools, set {4}.dialect: json.':
    '{1} がリクエストを受け付けませんでした（{2}）：{3}。ツール呼び出しに対応していないか、ツールが多すぎる場合は {4}.dialect: json を設定してください。',
  '{1} did not accept the request ({2}): {3}. If this model takes no such effort, remove or change {4}.reasoning_effort.':
    '{1} がリクエストを受け付けませんでした（{2}）：{3}。この値に対応していない場合は、{4}.reasoning_effort を変更するか削除してください。',
  '{1} did not accept the request ({2}): {3}. If this server knows no JSON schemas, set {4}.supports_structured_outputs: false.':
    '{1} がリクエストを受け付けませんでした（{2}）：{3}。JSON スキーマに対応していない場合は、{4}.supports_structured_outputs: false を設定してください。',
  '{1} did not accept the request ({2}): {3}. The prompt or {4}.max_output_tokens may be too long for this model.':
    '{1} がリクエストを受け付けませんでした（{2}）：{3}。プロンプトか {4}.max_output_tokens が、このモデルには長すぎる可能性があります。',
  '{1} did not accept the request ({2}): {3}. Check {4}.name, {5}.base_url and the other settings under {6}.':
    '{1} がリクエストを受け付けませんでした（{2}）：{3}。{4}.name、{5}.base_url など {6} の設定を確認してください。',
  '{1} broke off with an error: {2}': '{1} がエラーで中断しました：{2}',
  '{1} could not be asked: {2}. Check the settings under {3}.':
    '{1} を呼び出せませんでした：{2}。{3} の設定を確認してください。',
  '{1} could not be asked: {2}.': '{1} を呼び出せませんでした：{2}。',
  '{1} cannot be reached: {2}. Is it running, and is {3}.base_url right?':
    '{1} に接続できません：{2}。起動しているか、{3}.base_url が正しいか確認してください。',
  '{1} cannot be reached at {2}: {3}. Is it running, and is {4}.base_url right?':
    '{1}（{2}）に接続できません：{3}。起動しているか、{4}.base_url が正しいか確認してください。',
  '{1} did not finish within {2} s ({3}.timeout).': '{1} が {2} 秒以内に完了しませんでした（{3}.timeout）。',
  'The model stopped with an error.': 'モデルがエラーで停止しました。',
  'The model refused: {1}': 'モデルが応答を拒否しました：{1}',
  'its content filter stopped the answer': 'コンテンツフィルターが応答を止めました',
  'The model did not take the pictures or files. It is asked without them. {1}':
    'モデルが画像やファイルを受け取れないため、添付なしで再度呼び出します。{1}',
  'The model called no tool. It is asked once more.':
    'モデルがツールを呼び出しませんでした。もう一度依頼します。',
  "The model's output could not be used: {1}": 'モデルの出力を利用できません：{1}',
  'it is empty': '出力が空です',
  'it says nothing': '出力に内容がありません',
  'it is longer than {1} characters': '{1} 文字を超えています',
  'it was cut off at the limit of its length. Write less: fewer actions, shorter texts':
    '長さの上限で途切れました',
  'it ends before its JSON is complete: a bracket is still open': 'JSON が途中で終わっています',
  'its JSON is broken: {1}': 'JSON が壊れています：{1}',
  'its brackets do not match: {1}': '括弧が対応していません',
  'it holds no list of actions. {1}': 'アクションの一覧がありません',
  'its list of actions is empty. {1}': 'アクションの一覧が空です',
  'it holds {1} pieces of JSON with actions. Write exactly one': 'アクションの JSON が {1} 個あります',
  'it holds two lists of actions. Write exactly one': 'アクションの一覧が 2 つあります',
  'it holds a call written as text that was cut or cannot be read. {1}': '呼び出しの記述を読み取れません',
  'it holds neither a call that can be read nor an answer. {1}': '呼び出しも回答も読み取れません',
  'it says that it calls a tool, and no call came with it':
    'ツールを呼び出すとしていますが、呼び出しがありません',
  'it repeats the example. Answer what the user asked': '例をそのまま繰り返しています',
  'no more tools can be called now. Return one action: "answer"':
    'ツールはもう呼び出せません。回答だけが必要です',
  'the arguments of call {1} ({2}) are broken: {3}': '呼び出し {1}（{2}）の引数が壊れています：{3}',
  'unknown error': '不明なエラー',
};
