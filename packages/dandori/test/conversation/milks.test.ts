import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openRuntime } from '../../src/app/dandori.ts';
import { ambiguous } from '../../src/tools/ambiguity.ts';
import { defineService } from '../../src/tools/service.ts';
import { describeEvent } from '../../src/views/event-line.ts';
import { IS_LONG } from '../long.ts';
import { act, answer, facts, openHome, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';

const KITCHEN =
  'mcpServers: { kitchen: { shipped: kitchen, env: { DANDORI_KITCHEN_PATH: kitchen.db } } }\nexecution: { approval: never }\n';
const LOW_FAT = /^牛乳 \(低脂肪\)/;
const WHOLE = /^牛乳 \(成分無調整\)/;

/** Ten ways to answer "which milk?", and what each chooses. */
const WORDINGS: readonly (readonly [string, RegExp | 'only_one' | 'declined'])[] = [
  ['１', LOW_FAT],
  ['1番', LOW_FAT],
  ['低脂肪', LOW_FAT],
  ['低脂肪の方', LOW_FAT],
  ['最初の', LOW_FAT],
  ['the low-fat one', LOW_FAT],
  ['both', 'only_one'],
  ['neither', 'declined'],
  ['成分無調整のほうでお願いします', WHOLE],
  ['the last one, please', WHOLE],
];

/** The same question as the shipped kitchen asks, without a process. */
const kitchen = defineService({
  name: 'kitchen',
  methods: {
    remove_item: {
      description: 'Removes an item',
      effect: 'write',
      trusted: true,
      input: z.object({ name: z.string(), item: z.number().optional() }),
      run({ item }) {
        const items = ['牛乳 (低脂肪) / low-fat milk 1 本', '牛乳 (成分無調整) / whole milk 2 本'];
        if (item !== undefined) return { removed: items[item] ?? '' };
        throw ambiguous({
          question: '「牛乳」に当てはまるものが 2 つあります。どれを削除しますか？',
          options: items.map((label, index) => ({ label, args: { item: index } })),
        });
      },
    },
  },
});

describe('two milks in a conversation, with a model', () => {
  const remove = say([act('m', 'kitchen.remove_item', { name: '牛乳' })]);
  const script = [remove, answer('終わりました。')];
  const services = [kitchen];

  it.each(WORDINGS)('%s', async (words, wanted) => {
    await using home = await openHome({ services, script });
    const conversation = await home.dandori.conversation();
    const begun = await conversation.say('牛乳を1本捨てて');
    expect(begun).toMatchObject({ kind: 'begun', standing: 'waiting' });
    const [asked] = conversation.questions();
    const said = await conversation.say(words);
    if (wanted === 'only_one') {
      expect(said).toMatchObject({ kind: 'unclear', why: 'only_one', questions: [asked] });
      expect(conversation.questions()).toEqual([asked]);
      expect(await conversation.say('2')).toMatchObject({ kind: 'answered' });
    } else if (wanted === 'declined') {
      expect(said).toMatchObject({ kind: 'answered', declined: true, standing: 'ended' });
    } else {
      expect(said).toMatchObject({
        kind: 'answered',
        chose: expect.stringMatching(wanted),
        standing: 'ended',
      });
    }
    await conversation.settled();
    const { run } = asked ?? { run: '' };
    const report = await home.dandori.report(run);
    const removed = JSON.stringify(report.tasks.m?.result ?? null);
    expect(/低脂肪/.test(removed)).toBe(wanted === LOW_FAT);
    // Only the first message began a run, and the answer is bound to the message that gave it.
    expect(conversation.runs()).toHaveLength(1);
    const [given] = facts(await home.events(run), 'question_answered');
    const message = conversation.messages().find(({ id }) => id === given?.message);
    expect(message).toMatchObject({
      role: 'user',
      text: wanted === 'only_one' ? '2' : words,
      question: 'q1',
    });
    expect(conversation.messages().map(({ kind }) => kind)).toEqual([
      'said',
      'question',
      'said',
      'understood',
      'reply',
    ]);
    await theseHold(home.folder);
  });

  it('are shown by label to the model, in the log and to the user, also after a restart', async () => {
    await using home = await openHome({
      services,
      script: [
        remove,
        answer('終わりました。', {
          expect: ({ promptText }) => expect(promptText).toMatch(/The user chose: "牛乳 \(低脂肪\)/),
        }),
      ],
    });
    const first = await home.dandori.conversation();
    await first.say('牛乳を1本捨てて');
    await home.dandori.close();
    const again = await home.reopen('', { services });
    const conversation = await again.conversation(first.id);
    const said = await conversation.say('低脂肪の方');
    expect(said).toMatchObject({
      kind: 'answered',
      chose: expect.stringMatching(LOW_FAT),
      standing: 'ended',
    });
    const { run } = conversation.runs()[0] ?? { run: '' };
    const lines = (await again.events(run)).filter(({ type }) => type === 'question_answered');
    expect(lines.map(describeEvent).join()).toMatch(/^q1 chose: 牛乳 \(低脂肪\)/);
    const understood = conversation.messages().find(({ kind }) => kind === 'understood');
    expect(understood?.text).toMatch(/^選択：牛乳 \(低脂肪\)/);
  });

  it('are discussed in the language of the answer from then on, by the runtime and by the model', async () => {
    await using home = await openHome({
      services,
      yaml: 'execution: { approval: writes }\n',
      script: [
        remove,
        answer('Done.', {
          expect: ({ promptText }) =>
            expect(promptText).toContain('Write to the user in English from now on.'),
        }),
      ],
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('牛乳を1本捨てて');
    const texts = () => conversation.questions().map(({ question }) => question.text);
    expect(texts()).toEqual(['kitchen.remove_item を承認しますか？（書き込み）']);
    await conversation.say('はい');
    await conversation.say('the low-fat one');
    expect(texts()).toEqual(['Approve kitchen.remove_item? (write)']);
    await conversation.say('yes');
    await conversation.settled();
    expect(conversation.messages().at(-1)).toMatchObject({ kind: 'reply', text: 'Done.' });
    await theseHold(home.folder);
  });

  it('stay open if a model only claims that it passed the answer on, and the user is told', async () => {
    await using home = await openHome({ services, script: [remove, answer('伝えました。')] });
    const conversation = await home.dandori.conversation();
    await conversation.say('牛乳を1本捨てて');
    await conversation.say('冷蔵庫の奥にあるほうをよろしく頼むよ');
    await conversation.settled();
    const [question] = conversation.questions();
    expect(question).toMatchObject({ question: { id: 'q1' } });
    expect(conversation.messages().slice(-2)).toMatchObject([
      { kind: 'reply', text: '伝えました。' },
      { kind: 'reminder', text: `まだ回答待ちです：${question?.question.text}` },
    ]);
    await theseHold(home.folder);
  });

  it('are asked by the model itself, and the same words answer', async () => {
    const ask = {
      operation: 'ask',
      args: { question: 'どの牛乳ですか？', options: ['低脂肪牛乳', '普通の牛乳'] },
    };
    await using home = await openHome({
      script: [
        say([ask]),
        answer('了解です。', {
          expect: ({ promptText }) => expect(promptText).toContain('The user answered: 低脂肪牛乳'),
        }),
      ],
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('牛乳を買いたい');
    expect(await conversation.say('低脂肪の方がいいです')).toMatchObject({
      chose: '低脂肪牛乳',
      standing: 'ended',
    });
  });

  it('are chosen in words by a program too, and the error for a wrong word names the options', async () => {
    await using home = await openHome({ services, script });
    const { run } = await home.run('牛乳を1本捨てて');
    await expect(home.dandori.answer(run, 'q1', 'both')).rejects.toMatchObject({
      code: 'answer-invalid',
      message: expect.stringContaining('Only one option can be chosen.'),
    });
    await home.dandori.answer(run, 'q1', '低脂肪の方');
    const report = await home.dandori.drive(run);
    expect(report).toMatchObject({ outcome: 'answered' });
    expect(JSON.stringify(report.tasks.m?.result)).toContain('低脂肪');
  });
});

describe('two milks in a conversation, with the built-in planner and the shipped kitchen', () => {
  const some = WORDINGS.filter(([words]) => ['1番', '低脂肪の方', 'both'].includes(words));
  it.each(IS_LONG ? WORDINGS : some)('%s', async (words, wanted) => {
    const folder = await mkdtemp(join(tmpdir(), 'dandori-milks-'));
    try {
      await writeFile(join(folder, 'dandori.yaml'), KITCHEN);
      await using dandori = await openRuntime({ cwd: folder });
      const conversation = await dandori.conversation();
      await conversation.say('牛乳を1本捨てて');
      const said = await conversation.say(words);
      if (wanted === 'only_one') expect(said).toMatchObject({ kind: 'unclear', why: 'only_one' });
      else if (wanted === 'declined') expect(said).toMatchObject({ kind: 'answered', declined: true });
      else expect(said).toMatchObject({ kind: 'answered', chose: expect.stringMatching(wanted) });
      const isOpen = conversation.questions().some(({ question }) => question.id === 'q1');
      expect(isOpen).toBe(wanted === 'only_one');
      expect(conversation.runs()).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
