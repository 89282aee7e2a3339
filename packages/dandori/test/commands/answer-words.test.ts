import { describe, expect, it } from 'vitest';
import { readAnswer, refersToOption, takesWords } from '../../src/commands/answer-words.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Question } from '../../src/model/question.ts';

const choice = (text: string, ...labels: string[]): Question => ({
  id: 'q1',
  kind: 'ambiguity',
  text,
  options: labels.map((label, index) => ({ label, value: `v${index + 1}` })),
});
/** As the shipped kitchen asks. */
const stock = choice(
  '「牛乳」に当てはまるものが 2 つあります。どれを削除しますか？',
  '牛乳 (低脂肪) / low-fat milk 1 本 (2026-11-20)',
  '牛乳 (成分無調整) / whole milk 2 本 (2026-11-24)',
);
const japanese = choice('どの牛乳ですか？', '低脂肪牛乳', '普通の牛乳');
const english = choice('Which milk?', 'Low-fat milk', 'Whole milk');
const three = choice('Which train?', 'Hikari 501', 'Kodama 12', 'Nozomi 9');
const sizes = choice('Which bottle?', '2 L', '1 L', '500 ml');
const editions = choice('どの版ですか？', '最後の版', '最初の版');
const yesOrNo = choice('続けますか？', 'はい', 'いいえ');
const withBoth = choice('Which milk?', 'Low-fat milk', 'Whole milk', 'Both', 'Neither');
const approval: Question = {
  id: 'q2',
  kind: 'approval',
  text: 'Approve kitchen.remove_item? (destructive)',
  context: { operation: 'kitchen.remove_item', effect: 'destructive' },
  options: [
    { label: 'Approve', value: 'approve' },
    { label: 'Reject', value: 'reject' },
  ],
};
const planWith = (effect: string): Question => ({
  ...approval,
  kind: 'plan_approval',
  context: { tasks: [{ id: 't1', effect }] },
});
const plan = planWith('write');
const doubt: Question = {
  id: 'q3',
  kind: 'in_doubt',
  text: 'Did letters.send take effect?',
  options: [
    { label: 'Yes, continue without its result', value: 'happened' },
    { label: 'No, call it again', value: 'again' },
    { label: 'Give up this task', value: 'give_up' },
  ],
};
const form = (schema: JsonObject): Question => ({
  id: 'q4',
  kind: 'elicitation',
  text: 'Details?',
  form: { type: 'object', properties: { it: schema }, required: ['it'] },
});

/** What the words are read as: the value, `-` for declined, `?why` for open, '' for not an answer. */
function reading(words: string, question: Question, goal?: string): unknown {
  const read = readAnswer(words, question, { goal });
  if (read === undefined) return '';
  if (read.kind === 'open') return `?${read.why}`;
  return read.kind === 'declined' ? '-' : read.value;
}

type Table = readonly (readonly [Question, Readonly<Record<string, unknown>>, goal?: string])[];

function holds(table: Table): void {
  const wrong = table.flatMap(([question, rows, goal]) =>
    Object.entries(rows).flatMap(([words, wanted]) => {
      const found = reading(words, question, goal);
      return JSON.stringify(found) === JSON.stringify(wanted)
        ? []
        : [`${words} → ${JSON.stringify(found)}, not ${JSON.stringify(wanted)} (${question.text})`];
    }),
  );
  expect(wrong).toEqual([]);
}

describe('an answer in the words of the user', () => {
  it('names an option by its number, in every script', () => {
    const first = [
      '1',
      '１',
      '1番',
      '１番',
      '1番目',
      '1つ目',
      '１つめ',
      '一番',
      '一つ目',
      '一番目',
      'ひとつめ',
      'いちばんめ',
    ];
    const second = [
      ...[
        '2',
        '２',
        '②',
        '(2)',
        '2)',
        '2.',
        '2️⃣',
        '#2',
        '# 2',
        'no. 2',
        'No.2',
        'no 2',
        'number 2',
        'number two',
      ],
      ...['option 2', 'Option two', 'choice 2', '2 please', '2, please', "I'll take 2", 'the 2nd', '2nd one'],
      ...[
        '2番',
        '2番で',
        '2番でお願いします',
        '2番がいいです',
        '2番にして',
        '2でお願い',
        '2です',
        '2個目',
        '２本目',
      ],
      ...[
        '二番',
        '二番目',
        '二つ目の方',
        'ふたつめ',
        'に番',
        'その2',
        '選択肢2',
        '2番を選びます',
        'じゃあ2番で',
        'はい、2番',
      ],
    ];
    for (const question of [stock, japanese, english]) {
      for (const words of first) expect([words, reading(words, question)]).toEqual([words, 'v1']);
      for (const words of second) expect([words, reading(words, question)]).toEqual([words, 'v2']);
    }
    expect(first.length + second.length).toBeGreaterThan(45);
  });

  it('names an option by its place', () => {
    holds([
      [
        english,
        {
          'the first': 'v1',
          'first one please': 'v1',
          'The first one.': 'v1',
          'the first milk': 'v1',
          'the second one': 'v2',
          second: 'v2',
          'the last one': 'v2',
          'the former': 'v1',
          'the latter': 'v2',
          'the top one': 'v1',
          'the bottom one, please': 'v2',
        },
      ],
      [
        japanese,
        {
          最初の: 'v1',
          最初のやつ: 'v1',
          最初のでお願いします: 'v1',
          最初の牛乳: 'v1',
          最後の: 'v2',
          最後のほう: 'v2',
          前者で: 'v1',
          後者: 'v2',
          上の: 'v1',
          一番上: 'v1',
          下の方: 'v2',
          '2番目の牛乳': 'v2',
        },
      ],
      [
        three,
        { 'the middle one': 'v2', 真ん中の: 'v2', 'the third': 'v3', 'the last': 'v3', 'the former': '' },
      ],
    ]);
  });

  it('names an option by its label, or by words that only one label has', () => {
    holds([
      [
        stock,
        {
          低脂肪: 'v1',
          低脂肪の方: 'v1',
          低脂肪のほう: 'v1',
          低脂肪です: 'v1',
          低脂肪で: 'v1',
          低脂肪でお願いします: 'v1',
          低脂肪がいい: 'v1',
          低脂肪にして: 'v1',
          低脂肪の方にしてください: 'v1',
          '「低脂肪」': 'v1',
          低脂肪牛乳: 'v1',
          低脂肪の牛乳: 'v1',
          '牛乳(低脂肪)': 'v1',
          'じゃあ、低脂肪の方で': 'v1',
          'うん、低脂肪のほうがいいです': 'v1',
          やっぱり低脂肪で: 'v1',
          低脂肪かな: 'v1',
          低脂肪の方を捨てて: 'v1',
          低脂肪のを削除してください: 'v1',
          成分無調整: 'v2',
          成分無調整のほうがいいです: 'v2',
          無調整: 'v2',
          'the low-fat one': 'v1',
          'low fat please': 'v1',
          'Low-Fat': 'v1',
          lowfat: 'v1',
          'low-fat milk': 'v1',
          "I'd like the low-fat one": 'v1',
          "let's go with low-fat": 'v1',
          'the whole milk': 'v2',
          'throw away the low-fat one': 'v1',
          'remove the whole milk please': 'v2',
          'discard whole milk': 'v2',
          '2本の方': 'v2',
        },
        '牛乳を捨てて',
      ],
      [
        english,
        {
          'Low-fat milk': 'v1',
          'low fat milk.': 'v1',
          'LOW-FAT': 'v1',
          'ｌｏｗ－ｆａｔ': 'v1',
          'the whole one, thanks': 'v2',
          'use whole milk': 'v2',
          'well, low-fat': 'v1',
          'ok, the low-fat one': 'v1',
          'yes, low-fat': 'v1',
          v2: 'v2',
        },
      ],
      [japanese, { 普通の: 'v2', 普通のやつで: 'v2', 普通の牛乳がいいです: 'v2', テイシボウ: '' }],
      [three, { nozomi: 'v3', 'the hikari': 'v1', 'Kodama 12': 'v2', kodama12: 'v2', 'the 501': 'v1' }],
      [
        choice('どれ？', 'オレンジジュース', 'リンゴジュース'),
        { おれんじ: 'v1', オレンジ: 'v1', ｵﾚﾝｼﾞ: 'v1', りんごの方: 'v2' },
      ],
      [choice('どちら？', '大きい', '小さい'), { 大きい方: 'v1', 大きいの: 'v1', 小さいほうで: 'v2' }],
      [sizes, { '2L': 'v1', '1 l': 'v2', '500ml': 'v3', 'the 2 L': 'v1' }],
      [yesOrNo, { yes: 'v1', うん: 'v1', no: 'v2', いいえ: 'v2', お願いします: 'v1', やめて: 'v2' }],
    ]);
  });

  it('names the date, the number in words, or the amount that the goal has', () => {
    const milks = choice('どれを削除しますか？', '低脂肪 1 本 (2026-11-20)', '成分無調整 2 本 (2026-11-24)');
    holds([
      [
        milks,
        {
          期限が近い方: 'v1',
          期限が早いほうで: 'v1',
          新しい方: 'v2',
          'the one that expires first': 'v1',
          'the older one': 'v1',
          'number two': 'v2',
          'the 2nd one pls': 'v2',
          低脂肪のを一本: 'v1',
          低脂肪のを二本: '',
          どっちも捨てないで: '-',
        },
        '牛乳を1本捨てて',
      ],
      // Without dates only a model may know.
      [choice('Which?', 'low-fat', 'whole'), { 'the older one': '', 期限が近い方: '' }],
    ]);
  });

  it('names an amount, where the options are amounts', () => {
    const japaneseAmounts = choice('牛乳は 2 本あります。いくつ削除しますか？', '1 本', 'すべて（2 本）');
    const englishAmounts = choice('You have 2. How many should be removed?', '1', 'All (2)');
    holds([
      [
        japaneseAmounts,
        {
          '1本だけ': 'v1',
          ひとつ: 'v1',
          '1つ': 'v1',
          '2本': 'v2',
          二本: 'v2',
          '2本とも': 'v2',
          すべて: 'v2',
          全部捨てて: 'v2',
          両方: 'v2',
          '3本': '?which',
          半分: '',
        },
        '牛乳を捨てて',
      ],
      [
        englishAmounts,
        {
          one: 'v1',
          'just one': 'v1',
          'one carton': 'v1',
          'only one': 'v1',
          two: 'v2',
          all: 'v2',
          'all of them': 'v2',
          both: 'v2',
          '3': '?which',
        },
      ],
    ]);
  });

  it('names one of two by the other, or by its place beside it', () => {
    holds([
      [
        stock,
        {
          低脂肪じゃないほう: 'v2',
          低脂肪ではない方: 'v2',
          'anything but low-fat': 'v2',
          低脂肪以外: 'v2',
          'not the low-fat one': 'v2',
          後の: 'v2',
          前のほう: 'v1',
          一番最初: 'v1',
          'I meant the low-fat': 'v1',
          後で教えて: '',
        },
      ],
      [three, { 'not the Kodama': '', 後の: '' }],
    ]);
  });

  it('is about an option that only a model may know', () => {
    for (const words of [
      'the cheaper one',
      'the one with less fat',
      'that one',
      '安い方',
      '普通のほうで',
      '期限が近いやつ',
    ])
      expect(refersToOption(words, stock), words).toBe(true);
    for (const words of [
      'What is the weather?',
      '大阪の天気は？',
      'add one egg',
      '卵を追加して',
      'the weather in Osaka',
    ])
      expect(refersToOption(words, stock), words).toBe(false);
    expect(refersToOption('the other one', approval)).toBe(false);
  });

  it('is never a new goal that contains a word of an option', () => {
    holds([
      [
        stock,
        {
          'low-fat recipes please': '',
          'low-fat milk recipes': '',
          'what is low-fat milk?': '',
          'low fat?': '',
          'find a recipe with low-fat milk': '',
          'buy low-fat milk': '',
          'buy 2 whole milk': '',
          'is the first one still good?': '',
          'the first thing I need is the weather': '',
          'the low-fat one and the weather': '',
          'low-fat or whole': '',
          'tell me about option 2': '',
          '1 + 2': '',
          '100 + 200を計算': '',
          低脂肪のレシピ: '',
          低脂肪のレシピを教えて: '',
          低脂肪牛乳を2本買って: '',
          低脂肪牛乳を買って: '',
          '低脂肪って何？': '',
          '低脂肪は？': '',
          低脂肪と天気も教えて: '',
          最初の手順を教えて: '',
          最初からやり直して: '',
          '1番近い店を教えて': '',
          一番安いの: '',
          '2本買って': '',
          '2本': '',
          卵も捨てて: '',
          天気を教えて: '',
          牛乳の賞味期限を教えて: '',
          在庫を見せて: '',
          thanks: '',
          ありがとう: '',
          こんにちは: '',
          hello: '',
          'the other one': '',
          'I do not know which one is low-fat': '',
          yesterday: '',
          'nothing but the weather': '',
          'all the recipes': '',
          全部の在庫を教えて: '',
          両方の値段を教えて: '',
          'none of your business, what time is it': '',
        },
        '牛乳を捨てて',
      ],
      [
        choice('どれを買いますか？', '低脂肪牛乳', '普通の牛乳'),
        { 低脂肪を捨てて: '', 低脂肪を買って: 'v1' },
      ],
      [
        english,
        { 'throw away the low-fat one': '', 'whole wheat bread': '', fat: 'v1', 'the milk shop': '' },
      ],
      [three, { 'is hikari faster': '', 'hikari to osaka': '', h: '' }],
    ]);
  });

  it('stays open and says why, if one option must be chosen', () => {
    holds([
      [
        stock,
        {
          both: '?only_one',
          'both of them': '?only_one',
          'both please': '?only_one',
          'all of them': '?only_one',
          両方: '?only_one',
          両方とも: '?only_one',
          両方お願いします: '?only_one',
          両方で: '?only_one',
          どっちも: '?only_one',
          全部: '?only_one',
          すべて: '?only_one',
          両方捨てて: '?only_one',
          'throw both away': '?only_one',
          '1と2': '?only_one',
          '1 and 2': '?only_one',
          '1, 2': '?only_one',
          低脂肪と成分無調整: '?only_one',
          'low-fat and whole': '?only_one',
          牛乳: '?which',
          milk: '?which',
          'the milk': '?which',
          yes: '?which',
          はい: '?which',
          'ok whatever': '?which',
          either: '?which',
          'any of them': '?which',
          どちらでもいい: '?which',
          どっちでもいいです: '?which',
          お任せします: '?which',
          '3': '?which',
          '0': '?which',
          '3番': '?which',
        },
        '牛乳を捨てて',
      ],
      [sizes, { '2': '?which', '1': '?which' }],
      [editions, { 最初の: '?which', 最後の: '?which', 最初の版: 'v2' }],
      [withBoth, { both: 'v3', 両方: 'v3', all: 'v3', neither: 'v4', 'none of them': 'v4', whole: 'v2' }],
    ]);
  });

  it('declines', () => {
    const no = [
      ...[
        'neither',
        'neither of them',
        'none',
        'none of these',
        'no',
        'nope',
        'no thanks',
        'no, thank you',
        'cancel',
      ],
      ...[
        'never mind',
        'forget it',
        'stop',
        'skip it',
        'どちらでもない',
        'どちらでもないです',
        'どれでもない',
        'いいえ',
      ],
      ...[
        'どちらもいらない',
        'どっちもいらないです',
        'いらない',
        'いりません',
        'やめて',
        'やめてください',
        'やめます',
        'やっぱりやめる',
      ],
      ...[
        'キャンセル',
        'キャンセルしてください',
        '中止',
        '中止して',
        '結構です',
        '不要です',
        'なし',
        'もういいです',
        '両方いらない',
      ],
    ];
    for (const words of no) expect([words, reading(words, stock)]).toEqual([words, '-']);
    for (const words of no) expect([words, reading(words, approval)]).toEqual([words, 'reject']);
  });

  it('approves a call only by a clear yes', () => {
    const yes = [
      ...[
        'yes',
        'Yes.',
        'yes please',
        'yes, go ahead',
        'y',
        'yep',
        'yeah',
        'ok',
        'OK!',
        'okay',
        'sure',
        'approve',
        'Approved',
      ],
      ...['go ahead', 'please go ahead', 'do it', 'please do', 'proceed', 'confirm', 'ＹＥＳ', 'Approve'],
      ...[
        'はい',
        'はい。',
        'ハイ',
        'はい、お願いします',
        'はいお願いします',
        'うん',
        'ええ',
        '承認',
        '承認します',
        '実行して',
      ],
      ...[
        '実行してください',
        'はい、実行してください',
        '進めて',
        '進めてください',
        'お願いします',
        'やってください',
        'オーケー',
      ],
    ];
    for (const words of yes) expect([words, reading(words, approval)]).toEqual([words, 'approve']);
    holds([
      [
        approval,
        {
          'ok whatever': '?clear_yes',
          whatever: '?clear_yes',
          'yes and no': '?clear_yes',
          'yes but only one': '?clear_yes',
          maybe: '?clear_yes',
          'i guess so': '?clear_yes',
          'sounds good': '?clear_yes',
          fine: '?clear_yes',
          wait: '?clear_yes',
          both: '?clear_yes',
          '1': '?clear_yes',
          '１番': '?clear_yes',
          いいです: '?clear_yes',
          大丈夫です: '?clear_yes',
          了解: '?clear_yes',
          多分: '?clear_yes',
          ちょっと待って: '?clear_yes',
          'はい、でも1本だけ': '?clear_yes',
          'はい？': '',
          app: '',
          'the first one': '',
          最初の: '',
          'kitchen.remove_item': '',
          'remove item': '',
          'approve everything from now on': '',
          'no problem, what is the weather?': '',
          'yes, what is the weather in Osaka tomorrow?': '',
          はいという字を書いて: '?clear_yes',
          承認の履歴を全部見せてください: '?clear_yes',
          '2': 'reject',
          Reject: 'reject',
          却下: 'reject',
          "don't": 'reject',
          "please don't": 'reject',
          捨てないで: 'reject',
          'いや、やめて': 'reject',
          だめです: 'reject',
        },
      ],
      [
        plan,
        {
          '  Okay. ': 'approve',
          'sounds good': 'approve',
          いいですね: 'approve',
          了解です: 'approve',
          よろしくお願いします: 'approve',
          進んで: 'approve',
          次に進んでください: 'approve',
          次のステップへ: 'approve',
          'next step, please': 'approve',
          次の予定を教えて: '',
          'what is next?': '',
          '1': 'approve',
          'yes, but skip step 2': '?clear_yes',
          'skip step 2 and then go on with the rest of it': '',
          '2番目のステップは要らないので抜いて': '',
          いいえ: 'reject',
        },
      ],
      [
        planWith('destructive'),
        { 'sounds good': '?clear_yes', いいです: '?clear_yes', '1': '?clear_yes', はい: 'approve' },
      ],
      [
        { ...approval, context: { effect: 'write' } },
        { '1': 'approve', 'sounds good': 'approve', 'ok whatever': '?clear_yes', app: '' },
      ],
    ]);
  });

  it('says whether a call took effect only with an option of its own', () => {
    holds([
      [
        doubt,
        {
          '1': 'happened',
          '2': 'again',
          'No, call it again': 'again',
          'the last one': 'give_up',
          again: 'again',
          yes: '?which',
          no: '?which',
          いいえ: '?which',
          'call it': '',
          やめて: '-',
        },
      ],
    ]);
  });

  it('fills a form that asks for one thing', () => {
    const fruit = { enum: ['apple', 'banana'] };
    holds([
      [
        form({ type: 'boolean' }),
        { yes: { it: true }, うん: { it: true }, no: { it: false }, いいえ: { it: false } },
      ],
      [
        form(fruit),
        { apple: { it: 'apple' }, 'the second one': { it: 'banana' }, both: '?only_one', cancel: '-' },
      ],
      [
        form({ type: 'array', items: fruit }),
        {
          both: { it: ['apple', 'banana'] },
          両方: { it: ['apple', 'banana'] },
          'banana please': { it: ['banana'] },
          '1と2': { it: ['apple', 'banana'] },
        },
      ],
      [
        form({ type: 'integer' }),
        {
          '2': { it: 2 },
          '２本': { it: 2 },
          '2つでお願いします': { it: 2 },
          two: { it: 2 },
          二つ: { it: 2 },
          '1.5': '',
          'two or three': '',
        },
      ],
      [form({ type: 'string' }), { hello: '', やめて: '-' }],
    ]);
    const both = {
      id: 'q',
      kind: 'elicitation' as const,
      text: '',
      form: { properties: { a: fruit, b: fruit } },
    };
    expect(reading('apple', both)).toBe('');
  });

  it('in free text is accepted only by a question of the mind without options', () => {
    const free: Question = { id: 'q', kind: 'missing_input', text: 'To which account?' };
    expect(takesWords(free)).toBe(true);
    expect(takesWords({ ...english, kind: 'missing_input' })).toBe(false);
    expect(takesWords({ ...free, form: {} })).toBe(false);
    expect(takesWords(approval)).toBe(false);
    holds([[free, { no: '', none: '', 'ACME-1': '', cancel: '-', やっぱりやめます: '-' }]]);
  });

  it('by number is ambiguous if the values are numbers themselves', () => {
    const count: Question = {
      ...english,
      options: [
        { label: 'a pair', value: 2 },
        { label: 'one', value: 1 },
      ],
    };
    holds([[count, { '1': 1, '2': 2, '3': '?which', 'a pair': 2 }]]);
  });

  it('is read in bounded time, however the words repeat', () => {
    const repeated = ['はい', 'いや', 'no ', 'please ', 'どちらも', 'やっぱりもう', 'の', '低脂肪', 'low '];
    for (const words of repeated)
      for (const question of [stock, approval, doubt, yesOrNo])
        expect(reading(`${words.repeat(Math.floor(118 / words.length))}x`, question)).toBeDefined();
    expect(reading('はい'.repeat(10_000), approval)).toBe('');
  });
});
