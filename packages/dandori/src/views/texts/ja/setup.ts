import type { setup as english } from '../en/setup.ts';

export const setup: typeof english = {
  env: {
    loaded: (names) => `.env から読み込みました：${names.join('、')}`,
    refused: (names) => `.env で ${names.join('、')} は設定できません。シェルで設定してください。`,
  },
  servers: {
    connecting: (names) => `${names.join('、')} に接続中…`,
    connected: (name, seconds, tools) => `${name}：${seconds} 秒で接続しました（ツール ${tools} 件）`,
    failed: (name) => `${name}：接続できません`,
    from: {
      readOnlyHint: 'readOnlyHint',
      destructiveHint: 'destructiveHint',
      idempotentHint: 'idempotentHint',
      idempotency_key: '冪等キーに対応',
      other_hints: '変更すると宣言',
      none: '宣言なし（書き込みとして扱います）',
      config: '設定済み',
    },
    proposals: (count) => `宣言のないツール ${count} 件。名前からの提案です。確認してください：`,
    takeProposals: 'この影響を設定ファイルに書き込みますか？',
    yes: '書き込む',
    no: '書き込みのまま',
    howToTake: (file) => `${file} に書き込むには、--yes を付けて再実行してください。`,
    noPlace: (file) => `${file} には影響を書けません。dandori.yaml に書いてください。`,
    wroteEffects: (count) => `影響 ${count} 件を書き込みました。`,
    added: (names, file) => `${names.join('、')} を ${file} に追加しました。`,
    replaced: (names, file) => `${file} の ${names.join('、')} を置き換えました。`,
    unchanged: (names, file) => `${names.join('、')} は ${file} に登録済みです。`,
    created: (file) => `${file} を作成しました。`,
    left: (names) =>
      `接続できないため追加していません：${names.join('、')}。--no-check を付けると、接続せずに追加します。`,
    noDemo: 'デモ用のサーバーは使われなくなりました。',
    renamed: (from, to) => `「${from}」の名前を ${to} に変えました。`,
    ignored: (name, keys) => `${name}：${keys.join('、')} は使いません。`,
    secrets: (names) =>
      `秘密の値は設定ファイルではなく .env に保存しました：${names.join('、')}。.env を読めるのは自分だけです。`,
    notIgnored: 'コミットされないように、.env を .gitignore に追加してください。',
    value: (variable) => `${variable} の値`,
    next: '次：  dandori run "…"   または   dandori tools',
    removed: (names, file) => `${file} から ${names.join('、')} を削除しました。`,
    removedEffects: (count) => `そのツールの影響 ${count} 件も削除しました。`,
    none: 'サーバーはありません。追加：  dandori add NAME -- COMMAND…   または   dandori add NAME URL',
    demo: (names) =>
      `サーバーが未設定のため、デモ用のサーバーを使います：${names.join('、')}。追加：  dandori add NAME -- COMMAND…`,
    disabled: '無効',
    shipped: (name) => `Dandori 付属の ${name}`,
    becomes: (effect) => `→ ${effect}`,
  },
};
