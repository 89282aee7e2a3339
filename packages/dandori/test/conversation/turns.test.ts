import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineService } from '../../src/tools/service.ts';
import { act, answer, facts, openHome, own, say, told } from '../requirements/home.ts';
import { theseHold } from './laws.ts';

describe('what is said in a conversation', () => {
  it('is answered at once if no tool is needed, and the answer waits until it is acknowledged', async () => {
    await using home = await openHome({ script: [answer('Hello.')] });
    const conversation = await home.dandori.conversation();
    const said = await conversation.say('hi');
    expect(said).toMatchObject({ kind: 'begun', standing: 'ended' });
    expect(conversation.undelivered()).toMatchObject([
      { kind: 'reply', text: 'Hello.', outcome: 'answered' },
    ]);
    for (const { id } of conversation.undelivered()) await conversation.acknowledge(id);
    expect(conversation.undelivered()).toEqual([]);
    await theseHold(home.folder);
  });

  it.each(['planning: { enabled: false }\n', 'execution: { mode: direct }\n'])(
    'is not to be planned where there are no plans (%j)',
    async (yaml) => {
      await using home = await openHome({ yaml, script: () => answer('Hello.') });
      await (await home.dandori.conversation()).say('hi');
      await (await (await home.reopen('')).conversation()).say('hi');
      const [without, usual] = home.model.requests.map(({ promptText }) => promptText);
      expect(without).toContain('`run.tell` with');
      expect(without).not.toMatch(/plan\.propose|`report`/);
      expect(usual).toContain('Work of several stages: `plan.propose` with `steps`');
    },
  );

  it('asks before a destructive tool of the user, even if it has the name of a tool of Dandori', async () => {
    let cancelled = 0;
    const run = defineService({
      name: 'run',
      methods: {
        cancel: {
          description: 'Cancels a train.',
          effect: 'destructive',
          input: z.object({ run: z.string() }),
          run: () => ++cancelled,
        },
      },
    });
    await using home = await openHome({
      script: [say([act('t1', 'run.cancel', { run: 'the 9:15' })])],
      services: [run],
    });
    const conversation = await home.dandori.conversation();
    expect(await conversation.say('cancel it')).toMatchObject({ standing: 'waiting' });
    expect(cancelled).toBe(0);
  });

  it('is part of the next decision, together with the running runs', async () => {
    const before =
      /user: I am Hanako\n[\s\S]*you: Hello Hanako\.[\s\S]*waits for the user's answer to q1 [\s\S]*Goal:\nwhat is my name/;
    await using home = await openHome({
      script: [
        answer('Hello Hanako.'),
        say([own('ask', { question: 'Which city?' })]),
        answer('Your name is Hanako.', { expect: before }),
        answer('Sunny in Kyoto.', { expect: told('The user answered: Kyoto') }),
      ],
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('I am Hanako');
    const weather = await conversation.say('how is the weather?');
    expect(weather).toMatchObject({ kind: 'begun', standing: 'waiting' });
    expect(await conversation.say('what is my name?')).toMatchObject({ kind: 'begun', standing: 'ended' });
    const [asked] = conversation.questions();
    const answered = await conversation.answer({ run: asked?.run ?? '', question: 'q1' }, 'Kyoto');
    expect(answered).toMatchObject({ kind: 'answered', standing: 'ended' });
    expect(conversation.messages().map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'user: I am Hanako',
      'agent: Hello Hanako.',
      'user: how is the weather?',
      'agent: Which city?',
      'user: what is my name?',
      'agent: Your name is Hanako.',
      'agent: Still waiting for your answer: Which city?',
      'user: Kyoto',
      'agent: Sunny in Kyoto.',
    ]);
    await theseHold(home.folder);
  });

  it('reminds of each open question with its goal, in the language of the last message', async () => {
    const plan = (name: string) =>
      say([own('plan.propose', { name, steps: [{ id: 's1', description: 'Look' }] })]);
    await using home = await openHome({
      script: [plan('trip'), plan('party'), answer('300 です。')],
      yaml: 'execution: { approval: step, mode: hierarchical }\n',
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('and a party');
    await conversation.say('100 + 200 は？');
    expect(conversation.messages().at(-1)?.text).toBe(
      [
        'まだ回答待ちです：',
        ...['plan a trip', 'and a party'].map(
          (goal) =>
            `- この計画を承認しますか？（1 ステップ） タスクは各ステップの開始時に計画します。（${goal}）`,
        ),
      ].join('\n'),
    );
  });

  it('answers the last question if that takes free text', async () => {
    await using home = await openHome({
      script: [
        say([own('ask', { question: 'Which city?' })]),
        answer('Sunny in Kyoto.', { expect: told('The user answered: Kyoto') }),
      ],
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('how is the weather');
    expect(await conversation.say('Kyoto')).toMatchObject({ kind: 'answered', standing: 'ended' });
  });
});

describe('a yes or a no', () => {
  const BOOK = [say([act('t1', 'travel.book', { city: 'Kyoto' })]), answer('Booked.')];

  it.each(['yes', 'OK!', '1', 'はい', 'お願いします。', 'Approve'])(
    '%s approves without a model call',
    async (yes) => {
      await using home = await openHome({ script: BOOK, yaml: 'execution: { approval: writes }\n' });
      const conversation = await home.dandori.conversation();
      expect(await conversation.say('book a room in Kyoto')).toMatchObject({ standing: 'waiting' });
      expect(home.calls).toEqual([]);
      expect(await conversation.say(yes)).toMatchObject({ kind: 'answered', standing: 'ended' });
      expect(home.calls).toHaveLength(1);
    },
  );

  it.each(['no', 'いいえ', 'reject'])('%s rejects', async (no) => {
    await using home = await openHome({ script: BOOK, yaml: 'execution: { approval: writes }\n' });
    const conversation = await home.dandori.conversation();
    await conversation.say('book a room in Kyoto');
    expect(await conversation.say(no)).toMatchObject({ kind: 'answered', standing: 'ended' });
    expect(home.calls).toEqual([]);
  });

  it('is never given by a model: what it passes to a run that waits for approval is no yes', async () => {
    await using home = await openHome({
      yaml: 'execution: { approval: writes }\n',
      script: ({ promptText }) => {
        if (/"operation":"run\.tell"[\s\S]*<result/.test(promptText)) return answer('I told it.');
        const run = /- run (\S+), "book/.exec(promptText)?.[1];
        if (run !== undefined) return say([act('t1', 'run.tell', { run, text: 'yes' })]);
        return say([act('t1', 'travel.book', { city: 'Kyoto' })]);
      },
    });
    const conversation = await home.dandori.conversation();
    const first = await conversation.say('book a room in Kyoto');
    const second = await conversation.say('yes I think you should go on with that');
    expect(second).toMatchObject({ kind: 'begun', standing: 'ended' });
    expect(home.calls).toEqual([]);
    const booking = 'run' in first ? first.run : '';
    expect(conversation.questions()).toMatchObject([{ run: booking, question: { kind: 'approval' } }]);
    expect(facts(await home.events(booking), 'note_added')).toMatchObject([{ text: 'yes' }]);
  });

  it('counts again if the user tells a run the same twice: the second question is not left open', async () => {
    await using home = await openHome({
      script: [
        say([own('ask', { question: 'From which city?' })]),
        say([own('ask', { question: 'To which city?' })]),
        answer('A trip around Kyoto.'),
      ],
    });
    const conversation = await home.dandori.conversation();
    const said = await conversation.say('plan a trip');
    const run = said.kind === 'begun' ? said.run : '';
    await conversation.tell(run, 'Kyoto');
    await expect.poll(() => conversation.questions().map(({ question }) => question.id)).toEqual(['q2']);
    await conversation.tell(run, 'Kyoto');
    await expect.poll(() => conversation.undelivered().at(-1)?.text).toBe('A trip around Kyoto.');
    await theseHold(home.folder);
  });

  it('does not answer a question that arrived while it was typed: it must be said again', async () => {
    await using home = await openHome({
      script: [BOOK[0] ?? answer(''), answer('Booked.')],
      yaml: 'execution: { approval: writes }\n',
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('book a room');
    const [mine, question] = conversation.messages();
    for (const seen of ['', mine?.id ?? '', 'nobody knows']) {
      const said = await conversation.say('yes', { seen });
      expect(said).toMatchObject({ kind: 'unclear', questions: [{ question: { kind: 'approval' } }] });
    }
    expect(home.calls).toEqual([]);
    expect(await conversation.say('yes', { seen: question?.id })).toMatchObject({ kind: 'answered' });
    expect(home.calls).toHaveLength(1);
  });

  it('is for the question that was asked last, if the user has seen it and turned away from the others', async () => {
    await using home = await openHome({
      script: [BOOK[0] ?? answer(''), BOOK[0] ?? answer(''), answer('Booked.')],
      yaml: 'execution: { approval: writes }\n',
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('book a room');
    const [, first] = conversation.messages();
    await conversation.say('book another room');
    const last = conversation.messages().at(-1);
    expect(await conversation.say('はい', { seen: first?.id })).toMatchObject({ kind: 'unclear' });
    expect(home.calls).toEqual([]);
    expect(await conversation.say('はい', { seen: last?.id })).toMatchObject({
      kind: 'answered',
      run: last?.run,
    });
    expect(home.calls).toHaveLength(1);
    expect(conversation.questions()).toMatchObject([{ run: first?.run }]);
  });

  it('is unclear if several questions are open, and changes nothing', async () => {
    await using home = await openHome({
      script: [BOOK[0] ?? answer(''), BOOK[0] ?? answer(''), answer('Booked.')],
      yaml: 'execution: { approval: writes }\n',
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('book a room');
    await conversation.say('book another room');
    const said = await conversation.say('yes');
    expect(said).toMatchObject({ kind: 'unclear', questions: [{}, {}] });
    const [one] = conversation.questions();
    await conversation.answer({ run: one?.run ?? '', question: one?.question.id ?? '' }, 'approve');
    // What stood on the button is what was said.
    expect(conversation.messages().findLast(({ role }) => role === 'user')?.text).toBe('Approve');
    expect(home.calls).toHaveLength(1);
    expect(conversation.questions()).toHaveLength(1);
  });
});
