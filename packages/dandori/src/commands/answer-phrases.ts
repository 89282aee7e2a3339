/**
 * What people say when they answer, in English and Japanese. All texts here are compared with `simplified`
 * words: half-width, lower case, hiragana instead of katakana.
 */

const SEPARATOR = String.raw`[\s,、。.!・~〜]`;

const FILLER_EN =
  'please|thanks|thank you|thank you very much|now|then|well|um|uh|hm+|oh|so|just|actually|sorry|i think|for me|here';
const FILLER_JA =
  'ちょっと|すみません|すいません|ごめん|ごめんなさい|やっぱり|やっぱ|やはり|もう|じゃあ|じゃ|では|それでは|それなら|ありがとう|ありがとうございます|えっと|えーと|うーん|とりあえず|今回は|今は|まあ|あ|あの';

/** The words are phrases of this list, at least one, with nothing but fillers around them. */
function only(english: string, japanese: string): RegExp {
  const phrase = (en: string, ja: string) =>
    `(?:(?:${en})(?:${SEPARATOR}+|$)|(?:${ja})(?:ですね|です|ね|よ|で)?(?:${SEPARATOR}+|$|(?=[ぁ-ん一-龠])))`;
  const filler = phrase(FILLER_EN, FILLER_JA);
  const own = phrase(english, japanese);
  return new RegExp(`^${filler}*${own}(?:${own}|${filler})*$`, 'u');
}

/** An unmistakable yes. 「いいです」 is not here, because it can also mean "no, thank you". */
const CLEAR_YES_EN =
  "y|yes|yep|yeah|yup|ok|okay|sure|of course|absolutely|definitely|certainly|i approve|i confirm|approve it|approve|approved|confirm|confirmed|go ahead|go for it|do it|do|do that|proceed|run it|execute it|execute|continue|go on|that's right|correct|let's do it|let's go";
const CLEAR_YES_JA =
  'はい|はーい|ええ|うん|承認(?:します|する|で|お願いします)?|許可(?:します|する)?|実行(?:する|します|して|してください|して下さい|してよい|お願いします)?|お願い(?:します|致します|いたします)?|おねがい(?:します)?|やって(?:ください|下さい)?|進めて(?:ください|下さい)?|すすめて(?:ください)?|続けて(?:ください|下さい)?|つづけて(?:ください)?|おーけー|おっけー|その通り|そのとおり|そうして(?:ください|下さい)?|頼む|頼みます';
const SOFT_YES_EN =
  "sounds good|sounds great|looks good|looks good to me|lgtm|fine|that's fine|fine by me|good|great|perfect|nice|alright|all right|agreed|why not|go|cool|k|👍|🙆|yes i think so|i guess so|i guess|i think so|probably|next|next one|next step|the next step|the next one|move on|keep going|carry on|on to the next|on to the next step|on to the next one";
const SOFT_YES_JA =
  'いいよ|いい|いいですよ|いいね|良い|良いです|よい|よろしく(?:お願いします|おねがいします)?|了解(?:しました|いたしました)?|りょうかい|わかりました|分かりました|わかった|分かった|承知しました|大丈夫|だいじょうぶ|問題ない|問題ありません|もんだいない|それで|どうぞ|たぶん|多分|👍|🙆|次(?:に|へ|の(?:すてっぷ|ところ|手順)?(?:に|へ)?)?(?:進んで|進めて|すすんで|すすめて|行って|いって|お願いします)?(?:ください|下さい)?|進んで(?:ください|下さい)?|すすんで(?:ください)?|進む|進みます|進もう|進みましょう';

/** A yes that may approve any call. */
export const CLEAR_YES = only(CLEAR_YES_EN, CLEAR_YES_JA);
/** A yes that may approve a plan or choose an option that means yes. */
export const ANY_YES = only(`${CLEAR_YES_EN}|${SOFT_YES_EN}`, `${CLEAR_YES_JA}|${SOFT_YES_JA}`);
/** Begins like a yes, or hesitates. If more follows, the words approve nothing. */
export const BEGINS_WITH_YES =
  /^(?:(?:yes|yep|yeah|ok|okay|sure|fine|approve|go ahead|whatever|i guess|maybe|perhaps|wait|hold on|hmm?)(?![a-z])|はい|ええ|うん|承認|了解|おーけー|おっけー|たぶん|多分|まあ|待って|まって|ちょっと待)/u;

const NO_EN =
  "n|no|nope|nah|no way|not now|not yet|never|reject|reject it|rejected|deny|denied|decline|refuse|don't|do not|don't do it|do not do it|don't do that|not that|stop|stop it|abort|cancel|cancel it|cancel that";
const NO_JA =
  'いいえ|いえ|いや|いやです|嫌|いらない|いりません|要らない|要りません|不要|だめ|駄目|却下(?:します|する|で)?|拒否(?:します|する)?|中止(?:します|する|して|してください)?|やめて(?:ください|下さい|おいて|おいてください|おく|おきます|ほしい|欲しい)?|やめる|やめます|やめた|やめよう|やめとく|やめときます|止めて(?:ください|下さい)?|とめて(?:ください)?|きゃんせる(?:します|する|して|してください)?|取り消し|取り消して(?:ください)?|取消|結構|けっこう|しないで(?:ください|下さい)?|捨てないで(?:ください|下さい)?|消さないで(?:ください|下さい)?|削除しないで(?:ください|下さい)?|実行しない(?:で|でください|で下さい)?|承認しない|承認しません|ちがう|ちがいます|違う|違います|遠慮します|遠慮しておきます|すとっぷ|もういい|もういいや';
/** A no. It declines, whatever the question is. */
export const NO = only(NO_EN, NO_JA);

const NEITHER_EN =
  "neither|neither of them|neither of those|neither of these|neither one|none|none of them|none of these|none of those|none of the above|nothing|not any|not any of them|not either|never mind|nevermind|forget it|forget about it|leave it|leave it be|skip|skip it|skip this|i don't want any|i don't want either|i won't say|i'd rather not|i'd rather not say";
const NEITHER_JA =
  '(?:どちら|どっち|どれ)(?:でもない|でもありません|でもなく|もいらない|もいりません|も要らない|も要りません|も違う|も違います|もちがう|もちがいます|もやめて|もだめ|も選ばない|も選びません|も嫌|もいや|も(?:捨て|消さ|買わ|送ら|使わ)ないで(?:ください|下さい)?)|(?:両方|全部|二つとも|2つとも)(?:いらない|いりません|要らない|要りません|違う|違います|やめて|だめ)|なし|無し|該当なし|ない|ありません|ぱす|ぱすします|すきっぷ|すきっぷして|回答しない|回答しません|答えない|答えたくない|選ばない|選びません';
/** Declines a choice. */
export const NEITHER = only(`${NEITHER_EN}|${NO_EN}`, `${NEITHER_JA}|${NO_JA}`);
/** Gives up the question, even where any words are an answer. */
export const GIVES_UP = only(
  "cancel|cancel it|cancel that|never mind|nevermind|forget it|i'd rather not say|stop|abort",
  'やめて(?:ください|下さい|おく|おきます)?|やめる|やめます|やめとく|きゃんせる(?:します|する|して|してください)?|中止(?:して|してください|します)?|もういい|回答しない|答えたくない',
);

/** Wants more than one. */
export const BOTH = only(
  'both|both of them|both of these|both of those|all|all of them|all of these|all of those|all of it|everything|the lot|each|each of them|every one|them all|the two|the two of them',
  '両方(?:とも)?|りょうほう(?:とも)?|全部|ぜんぶ|全て|すべて|どちらも|どっちも|どれも|二つとも|ふたつとも|[2-9二三四五](?:つ|本|個|件|枚|冊|人)とも|まとめて|全員|みんな',
);
/** The user leaves the choice to Dandori. Dandori never chooses. */
export const EITHER = only(
  "either|either one|either of them|either is fine|either one is fine|any|any of them|any one|anything|whichever|whatever|you choose|you decide|up to you|i don't mind|i don't care|it doesn't matter|don't care",
  '(?:どちら|どっち|どれ|なん|何)でも(?:いい|よい|良い|構いません|かまいません|構わない|かまわない|大丈夫)?|お?任せ(?:します|で)?|おまかせ(?:します|で)?|適当(?:に|で)?',
);

/** Words before an answer that say nothing about it. A separator must follow. */
export const OPENER = new RegExp(
  `^(?:(?:well|um|uh|hm+|oh|ok|okay|yes|yeah|yep|sure|so|then|please|hi|actually|maybe|ah|はい|ええ|うん|うーん|えっと|えーと|ええと|えー|じゃあ|じゃ|では|それでは|それじゃ|それじゃあ|そうですね|そうだな|そうね|まあ|あ|やっぱり|やっぱ|やはり|それなら|とりあえず|なら)${SEPARATOR}+|じゃあ|それじゃあ|やっぱり|とりあえず)`,
  'u',
);

const POLITE = [
  ...['でお願いします', 'でおねがいします', 'をお願いします', 'をおねがいします', 'でお願い', 'をお願い'],
  ...['お願いします', 'おねがいします', 'お願い', 'おねがい', 'でよろしく', 'よろしく'],
  ...['でいいです', 'でいいよ', 'でいいかな', 'でいい', 'でよいです', 'でよい', 'で良いです', 'で良い'],
  ...['がいいです', 'がいいよ', 'がいいな', 'がいいかな', 'がいい', 'が良いです', 'が良いな', 'が良い'],
  ...['にしてください', 'にして下さい', 'にしてほしい', 'にして欲しい', 'にしてくれ', 'にしてね', 'にして'],
  ...['にします', 'にする', 'にするよ', 'にしよう', 'にしましょう', 'にしようかな', 'に決めます', 'に決めた'],
  ...['を選んでください', 'を選んで', 'を選びます', 'を選ぶ', 'を選択します', 'を選択して', 'を選択'],
  ...['を使ってください', 'を使って', 'を使います', 'を使う', 'を使おう', 'でやって', 'で進めて', 'で続けて'],
  ...['がほしいです', 'が欲しいです', 'がほしい', 'が欲しい', 'をください', 'を下さい', 'ください', '下さい'],
  ...['でたのむ', 'で頼む', 'を頼む', 'を希望します', '希望です', 'を希望', '希望', 'ちょうだい'],
  ...[
    'ですかね',
    'ですね',
    'ですよ',
    'です',
    'だよ',
    'だね',
    'だな',
    'だ',
    'かな',
    'かも',
    'っす',
    'で',
    'を',
    'が',
    'は',
    'に',
  ],
  ...['ね', 'よ', 'な'],
];
const ONE = [
  'のほうの',
  'のほう',
  'の方の',
  'の方',
  'ほう',
  '(?<!両)方',
  'やつ',
  'もの',
  'の側',
  'のやつ',
  'のもの',
  'のぶん',
  'の分',
  'の選択肢',
  'のを',
  'の',
];
const byLength = (words: readonly string[]) => [...words].sort((a, b) => b.length - a.length).join('|');
/** 「でお願いします」「にして」「がいいです」 and the like, at the end. */
export const ENDING = new RegExp(`(?:${byLength(POLITE)})$`, 'u');
/** 「の方」「のやつ」, the Japanese "one", at the end. */
export const ONE_ENDING = new RegExp(`(?:${byLength(ONE)})$`, 'u');

/** English words that do not tell the options apart. */
export const FILLERS = new Set(
  "the a an one ones please thanks thank you i i'd i'll i'm id ill like want would prefer choose chose pick select take use go with for let's lets it's its it is that that's this thats my choice me mean meant just have to of then we we'll will be think guess should okay ok yes option number no. kind type version variety him her them".split(
    ' ',
  ),
);

/** What a choice is about: the words may repeat the verb of the question or of the goal. */
interface Verb {
  /** In the question or in the goal. */
  readonly asked: RegExp;
  /** At the end of Japanese words. */
  readonly japanese: RegExp;
  readonly english: RegExp;
}

const verb = (asked: string, japanese: string, english: string): Verb => ({
  asked: new RegExp(asked, 'iu'),
  japanese: new RegExp(
    `を?(?:${japanese})(?:ください|下さい|ほしい|欲しい|くれ|おいて|おいてください)?[ねよ]?$`,
    'u',
  ),
  english: new RegExp(`\\b(?:${english})\\b`, 'gu'),
});

export const VERBS: readonly Verb[] = [
  verb(
    '捨て|削除|消し|消す|処分|破棄|取り除|remove|delete|throw|discard|toss|get rid|bin',
    '捨てて|捨てる|捨てます|削除して|削除する|削除|消して|処分して|破棄して',
    'remove|delete|discard|toss|throw away|throw out|throw|away|out|get rid of|bin',
  ),
  verb('買|購入|注文|buy|order|purchase', '買って|買う|買います|購入して|注文して', 'buy|order|purchase|get'),
  verb('送|送信|send|mail', '送って|送る|送信して|送ります', 'send|mail'),
  verb('予約|book|reserv', '予約して|予約する|予約', 'book|reserve'),
  verb('開|open|読|read|表示|見|show', '開いて|開く|読んで|見せて|表示して', 'open|read|show me|show'),
];

/** The number of each ordinal, from 1. -1 is the last. */
export const ORDINALS: ReadonlyMap<string, number> = new Map([
  ...'first second third fourth fifth sixth seventh eighth ninth tenth'
    .split(' ')
    .map((word, index) => [word, index + 1] as const),
  ...['last', 'final', 'bottom'].map((word) => [word, -1] as const),
  ['top', 1],
  ...['最初', '一番最初', 'はじめ', '初め', '一番上', '1番上', 'いちばん上', '上', '先頭', 'とっぷ'].map(
    (word) => [word, 1] as const,
  ),
  ...['最後', '一番最後', '終わり', 'らすと', '一番下', '1番下', 'いちばん下', '下', '末尾'].map(
    (word) => [word, -1] as const,
  ),
]);
/** Only for two options. */
export const OF_TWO: ReadonlyMap<string, number> = new Map([
  ['former', 1],
  ['latter', 2],
  ...['前者', '前', '先', '手前'].map((word) => [word, 1] as const),
  ...['後者', '後', 'あと', '後ろ', 'うしろ'].map((word) => [word, 2] as const),
]);
/** Only for three, five, … options. */
export const MIDDLE = new Set(['middle', '真ん中', 'まんなか', '中央']);

const KANJI = '一二三四五六七八九十';
const ENGLISH = 'one two three four five six seven eight nine ten'.split(' ');
const KANA = [
  'ひとつ',
  'ふたつ',
  'みっつ',
  'よっつ',
  'いつつ',
  'むっつ',
  'ななつ',
  'やっつ',
  'ここのつ',
  'とお',
];
const READ = ['いち', 'に', 'さん', 'よん', 'ご', 'ろく', 'なな', 'はち', 'きゅう', 'じゅう'];
const DIGITS = String.raw`\d{1,4}|[${KANJI}]`;

const NUMBERED = new RegExp(
  `^(?:(?:no|nr|number|option|choice|item|answer|第|その|番号|選択肢)[.\\s]*|#\\s*|\\()?(?<plain>${DIGITS})(?:\\s*(?:番目|番|つ目|つめ|個目|本目|件目|ばんめ|ばん|号)|st|nd|rd|th|[).])?$`,
  'u',
);
const WORDED = new RegExp(`^(?:no|nr|number|option|choice)[.\\s]+(?<word>${ENGLISH.join('|')})$`, 'u');
const KANA_FORM = new RegExp(
  `^(?:(?<count>${KANA.join('|')})(?:目|め)|(?<read>${READ.join('|')})(?:番目|ばんめ|番|ばん))$`,
  'u',
);
/** A place in a list with more words after it: 「2番目の牛乳」. */
export const PLACE = new RegExp(
  `^(?<place>(?:${DIGITS})(?:番目|番|つ目|つめ|個目|本目|ばんめ)|(?:${KANA.join('|')})(?:目|め)|最初|最後|一番上|一番下|上|下|前者|後者|真ん中)の(?<rest>.+)$`,
  'u',
);

/** The number that these words are: "2", "2番", "#2", "option two", 「二つ目」. */
export function numberIn(words: string): number | undefined {
  const { plain, word, count, read } = {
    ...NUMBERED.exec(words)?.groups,
    ...WORDED.exec(words)?.groups,
    ...KANA_FORM.exec(words)?.groups,
  };
  if (plain !== undefined) return KANJI.includes(plain) ? KANJI.indexOf(plain) + 1 : Number(plain);
  if (word !== undefined) return ENGLISH.indexOf(word) + 1;
  if (count !== undefined) return KANA.indexOf(count) + 1;
  return read === undefined ? undefined : READ.indexOf(read) + 1;
}

const AMOUNT = new RegExp(
  `^(?<digits>-?\\d+(?:\\.\\d+)?|[${KANJI}])\\s*(?:つ|本|個|件|枚|冊|人|杯|丁|回|日|分|時間|g|kg|ml|l|円|bottles?|pieces?|cartons?|people|times)?$`,
  'u',
);

/** How much or how many: "2", 「2本」, "two". */
export function amountIn(words: string): number | undefined {
  const digits = AMOUNT.exec(words)?.groups?.digits;
  if (digits !== undefined) return KANJI.includes(digits) ? KANJI.indexOf(digits) + 1 : Number(digits);
  const counted = words.replace(/ (?:bottles?|pieces?|cartons?|packs?|cans?|bags?|people|times)$/u, '');
  return [ENGLISH, KANA].map((list) => list.indexOf(counted) + 1).find((place) => place > 0);
}
