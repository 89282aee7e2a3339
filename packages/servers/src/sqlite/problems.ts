import { SaidError } from '../said.ts';

/** What the reader says, in Japanese. The reader is another process, so only its words arrive. */
const JAPANESE: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [
    /^Refused: (.*)\. Only reading \(SELECT\) is allowed; .*$/s,
    (why) => `拒否しました：読み取り（SELECT）だけができます。このデータベースは変更できません（${why}）。`,
  ],
  [
    /^There is no table "(.*)"\. Tables: (.*)\.$/s,
    (table, names) => `テーブル「${table}」はありません。使えるテーブル：${names}`,
  ],
  [
    /^no such (table|column): (.*)\. Use list_tables and get_table_schema for the names\.$/s,
    (kind, name) =>
      `${kind === 'table' ? 'テーブル' : '列'}「${name}」はありません。名前は list_tables と get_table_schema で調べてください。`,
  ],
  [/^The query is empty\..*$/s, () => '問い合わせが空です。SELECT 文を 1 つ指定してください。'],
  [/^Only one statement is allowed\..*$/s, () => '文は 1 つだけ指定できます。1 つずつ送ってください。'],
  [
    /^The query was stopped after (.*) s\..*$/s,
    (seconds) =>
      `問い合わせを ${seconds} 秒で打ち切りました。LIMIT や WHERE を加えるか、再帰を終わらせてください。`,
  ],
  [
    /^The query was stopped: it needed.*$/s,
    () => '問い合わせを打ち切りました。時間かメモリーが足りません。対象を減らしてください。',
  ],
  [/^The database (.*) cannot be opened: (.*)$/s, (path, why) => `データベース ${path} を開けません：${why}`],
  [/^The database reader failed: (.*)$/s, (why) => `データベースの読み取りに失敗しました：${why}`],
  [/^near "(.*)": syntax error$/s, (near) => `SQL の構文エラーです（「${near}」の付近）。`],
  [/^incomplete input$/s, () => 'SQL 文が途中で終わっています。'],
];

export function problemOf(english: string): SaidError {
  for (const [form, write] of JAPANESE) {
    const [, ...parts] = form.exec(english) ?? [];
    if (form.test(english)) return new SaidError({ en: english, ja: write(...parts) });
  }
  return new SaidError({ en: english, ja: english });
}
