import type { Language } from '../../../model/text.ts';

/** Whether a text mentions a name: 佐藤花子 matches 佐藤 花子, and "green teas" matches Green tea. */
export function contains(text: string, name: string): boolean {
  const plain = name.normalize('NFKC').toLowerCase();
  if (/[^\u0020-\u007f]/.test(plain))
    return text.replaceAll(/[\s・]/g, '').includes(plain.replaceAll(/[\s・]/g, ''));
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word.length > 2 || /\d/.test(word));
  const said = text
    .replaceAll(/'s\b/g, '')
    .split(/[^a-z0-9]+/)
    .map(singular);
  return words.length > 0 && words.every((word) => said.includes(singular(word)));
}

function singular(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=o|ch|sh|x|ss)es$/, '')
    .replace(/(?<!s)s$/, '');
}

const GRAMMAR =
  /^(?:これ|それ|あれ|どれ|ここ|そこ|どこ|いま|うち|もの|こと|みんな|すべて|ぜんぶ|いちばん|もっとも|とき|ほか|おみせ|まだ|いくら|いくつ|だれ|いつ|なに|なん|あと|それぞれ|どちら|どっち|どんな|どの|この|その|あの|さん|ちゃん|くん|ください|たくさん|ところ|ため|よう|ほう|くらい|ぐらい|だけ|まで|から|など|おすすめ|ある|いる|する|した|して|された|された|である|ている|の|は|が|を|に|で|と|も|や|か|ね|よ|って|では|には|とは|ので|のは|のが|のを|ものは|かかる|いい|ない|なる|できる|にある|にいる|がある)+$/;

/** Whether a text has a noun in hiragana, as りんご: such a word is seen by the particle after it. */
export function hiraganaNoun(text: string): boolean {
  const words = [
    ...text.matchAll(
      /(?:^|[、。\s]|[一-龠ァ-ヶー]の)([ぁ-ん]{2,}?)(?=[のはがを](?![ぁ-ん]*$)|[のはがを](?:ある|あります|ない|いくら|いくつ|どこ|どれ|どう|$))/g,
    ),
  ];
  return words.some(([, word = '']) => !GRAMMAR.test(word));
}

/** One half of a name in two languages: 卵 / eggs. */
export function nameIn(both: string, language: Language): string {
  const [japanese = '', english] = both.split(/\s+\/\s+/);
  return language === 'ja' ? japanese : (english ?? japanese);
}
