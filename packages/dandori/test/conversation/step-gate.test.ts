import { describe, expect, it } from 'vitest';
import { act, answer, openHome, own, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';
import { PLAN, tripModel } from './script.ts';

const STEP = 'execution: { approval: step }\n';
const asked = (conversation: { questions(): readonly { question: { text: string } }[] }) =>
  conversation.questions().map(({ question }) => question.text);

describe('approval: step', () => {
  it('stops between steps and asks whether to continue', async () => {
    await using home = await openHome({ script: tripModel(), yaml: STEP });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('yes');
    await conversation.settled();
    expect(asked(conversation)).toEqual(['Go on with step 2? Find the place']);
    // How the first step went is told before the user is asked.
    expect(conversation.messages().slice(-2)).toMatchObject([
      { kind: 'report', step: 's1', next: { text: 'Find the place' } },
      { kind: 'question' },
    ]);
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather']);
    await home.dandori.close();
    const again = await (await home.reopen(STEP)).conversation(conversation.id);
    expect(await again.say('進んで')).toMatchObject({ kind: 'answered' });
    await again.settled();
    expect(again.messages().at(-1)).toMatchObject({ kind: 'reply', text: 'The trip is planned.' });
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather', 'locate']);
    await theseHold(home.folder);
  });

  it('takes a yes for the next step, although another run has asked something since', async () => {
    const trip = tripModel();
    await using home = await openHome({
      script: (request) =>
        /Goal:\nhow are you/.test(request.promptText) ? answer('Fine. And you?') : trip(request),
      yaml: STEP,
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('yes');
    await conversation.settled();
    await conversation.say('how are you');
    expect(await conversation.say('yes')).toMatchObject({ kind: 'answered' });
    await conversation.settled();
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather', 'locate']);
  });

  it('ends without the step if the user says no', async () => {
    await using home = await openHome({ script: tripModel(), yaml: STEP });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip, 旅行です');
    await conversation.say('はい');
    await conversation.settled();
    expect(asked(conversation)).toEqual(['ステップ 2 に進みますか？ Find the place']);
    await conversation.say('いいえ');
    await conversation.settled();
    expect(asked(conversation)).toEqual([]);
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather']);
    const [{ run } = { run: '' }] = conversation.runs();
    const { plan } = await home.dandori.report(run);
    expect(plan?.steps).toMatchObject([{ status: 'completed' }, { status: 'failed' }]);
    expect(JSON.stringify(conversation.messages())).not.toContain('task.generate_list');
  });

  it('holds back a step whose tasks were planned with it', async () => {
    const [first, second] = PLAN.steps as { id: string }[];
    const steps = [
      { ...first, tasks: [act('t1', 'travel.weather', { city: 'Kyoto' })] },
      { ...second, tasks: [act('t2', 'travel.locate', { ip: '203.0.113.7' })] },
    ];
    await using home = await openHome({
      yaml: STEP,
      script: ({ body }) => {
        const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
        if (/Progress: 2 of 2|<result t2/.test(last)) return say([own('answer', { text: 'Done.' })]);
        return say([own('plan.propose', { ...PLAN, steps })]);
      },
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('yes');
    await conversation.settled();
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather']);
    expect(asked(conversation)).toEqual(['Go on with step 2? Find the place']);
    await conversation.say('yes');
    await conversation.settled();
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather', 'locate']);
  });
});
