/** Short forms, and words that are often written in hiragana, as the skills look for them. */
const USUAL: readonly (readonly [RegExp, string])[] = [
  [/\bavg\b/g, 'average'],
  [/(?<=\s)'?till?\b/g, 'until'],
  [/きょう(?!と)/g, '今日'],
  [/あした(?![がのを]?[ぁ-ん]{0,2}さん)/g, '明日'],
  [/きのう/g, '昨日'],
  [/なに(?=[がをかも]|$)/g, '何'],
  [/なん(?=時|曜|個|本|度|日|円|枚|月|年|人|分|じ)/g, '何'],
  [/(?<=何)じ(?![ぁ-んゃゅょ]*ゃ)/g, '時'],
  [/さむ(?=い|く|かった|そう)/g, '寒'],
  [/あつ(?=い|くて|かった)/g, '暑'],
  [/あ(?:たた|った)か(?=い|く)/g, '暖か'],
  [/てんき/g, '天気'],
  [/きおん/g, '気温'],
  [/つか(?=い|っ|う)/g, '使'],
  [/たべ(?=た|て|ま|ち|る|き)/g, '食べ'],
  [/のん(?=だ)/g, '飲ん'],
  [/すて(?=て|た|る|ま|と)/g, '捨て'],
  [/(?<=[を個本枚丁袋])かっ(?=た|て)/g, '買っ'],
  [/おしえ/g, '教え'],
  [/みせ(?=て)/g, '見せ'],
  [/つく(?=り方|りかた|れ[るま]|りたい|る)/g, '作'],
  [/りょうり/g, '料理'],
  [/れいぞうこ/g, '冷蔵庫'],
  [/ざいこ/g, '在庫'],
  [/しょうひん/g, '商品'],
  [/ちゅうもん/g, '注文'],
  [/ねだん/g, '値段'],
  [/ぎゅうにゅう/g, '牛乳'],
];

/** Long words that the skills look for. A word that is one letter away from exactly one of them is a slip of the keyboard. */
const WORDS =
  'weather temperature humidity fahrenheit celsius tomorrow yesterday umbrella recipes ingredients inventory kitchen potatoes chicken carrots customers products calculate average percent minutes discount difference expensive cheapest currently convert january february september october november december wednesday saturday singapore sapporo fukuoka'.split(
    ' ',
  );

/** The text with usual spellings: きょう → 今日, "wether" → "weather". */
export function respelled(text: string): string {
  const usual = USUAL.reduce((now, [form, word]) => now.replaceAll(form, word), text);
  return usual.replaceAll(/\b[a-z]{6,}\b/g, (word) => {
    if (WORDS.some((known) => known === word || known === `${word}s` || word === `${known}s`)) return word;
    const [near, ...others] = WORDS.filter((known) => isOneSlip(word, known));
    return near === undefined || others.length > 0 ? word : near;
  });
}

/** One letter left out, added, wrong, or two neighbours turned around. */
function isOneSlip(word: string, known: string): boolean {
  let start = 0;
  while (start < known.length && word[start] === known[start]) start++;
  const [rest, right] = [word.slice(start), known.slice(start)];
  return (
    rest === right.slice(1) ||
    rest.slice(1) === right ||
    (rest.length > 0 && rest.slice(1) === right.slice(1)) ||
    (rest.length > 1 && rest[0] === right[1] && rest[1] === right[0] && rest.slice(2) === right.slice(2))
  );
}
