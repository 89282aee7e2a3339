import { describe, expect, it } from 'vitest';
import { act, answer, openHome, own, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';
import { PLAN } from './script.ts';

/** Proposes a plan with a name for each trip, and turns to another plan when asked. */
const planner = ({
  promptText,
  body,
}: {
  promptText: string;
  body: { messages?: { content?: unknown }[] };
}) => {
  const goal = /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (/^back to/.test(goal))
    return /<result/.test(last)
      ? answer(last)
      : say([act('p', 'plan.activate', { name: 'Kyoto' }), act('l', 'plan.list', {}, { after: ['p'] })]);
  if (/^how are you/.test(goal)) return answer('Fine. And you?');
  const city = /to (\w+)/.exec(goal)?.[1] ?? '';
  if (/Steps: s1/.test(last)) return say([act('t1', 'travel.weather', { city }, { step: 's1' })]);
  if (/Steps: s2/.test(last)) return say([act('t2', 'travel.locate', { ip: '203.0.113.7' }, { step: 's2' })]);
  if (/Progress: 2 of 2|<result/.test(last))
    return say([
      own('answer', { text: 'Planned.', next: { text: 'Book a room', goal: `book a room in ${city}` } }),
    ]);
  return say([own('plan.propose', { ...PLAN, name: city })]);
};

describe('the plans of a conversation', () => {
  it('have names, and the model or the user can make one active, also after a restart', async () => {
    await using home = await openHome({ script: planner });
    const conversation = await home.dandori.conversation();
    for (const city of ['Kyoto', 'Nara', 'Nara']) {
      await conversation.say(`a trip to ${city}`);
      await conversation.say('yes');
      await conversation.settled();
    }
    const names = () => conversation.plans().map(({ name, isActive }) => (isActive ? `${name}*` : name));
    expect(names()).toEqual(['Kyoto', 'Nara', 'Nara (2)*']);
    await conversation.say('back to the Kyoto trip, please do that');
    await conversation.settled();
    expect(names()).toEqual(['Kyoto*', 'Nara', 'Nara (2)']);
    expect(home.model.requests.at(-1)?.promptText).toMatch(
      /Plans of this conversation:\n- "Kyoto", run \S+\n/,
    );
    expect(conversation.messages().at(-1)?.text).toContain('active');
    await home.dandori.close();
    const again = await (await home.reopen()).conversation(conversation.id);
    expect(again.plans()).toEqual(conversation.plans());
    expect(await again.activatePlan('Nara')).toMatchObject({ name: 'Nara', isActive: true });
    await expect(again.activatePlan('Tokyo')).rejects.toMatchObject({
      code: 'usage',
      fix: expect.stringContaining('Kyoto, Nara'),
    });
    await theseHold(home.folder);
  });

  it('can be listed and chosen while they wait for approval; then a yes is for the chosen one', async () => {
    await using home = await openHome({ script: planner });
    const conversation = await home.dandori.conversation();
    for (const city of ['Kyoto', 'Nara']) await conversation.say(`a trip to ${city}`);
    const names = () => conversation.plans().map(({ name, isActive }) => (isActive ? `${name}*` : name));
    expect(names()).toEqual(['Kyoto', 'Nara']);
    await conversation.say('back to the Kyoto trip, please do that');
    expect(conversation.messages().findLast(({ kind }) => kind === 'reply')?.text).toMatch(
      /Kyoto\W+status\W+draft\W+active\W+true/,
    );
    expect(names()).toEqual(['Kyoto*', 'Nara']);
    const [kyoto, nara] = conversation.plans();
    expect(await conversation.say('yes')).toMatchObject({ kind: 'answered', run: kyoto?.run });
    await conversation.settled();
    expect(conversation.questions()).toMatchObject([{ run: nara?.run }]);
    // The first trip ended with a suggestion, which a yes may be meant for.
    expect(await conversation.say('yes')).toMatchObject({ kind: 'unclear', why: 'talked_over' });
    await conversation.say('how are you');
    expect(conversation.messages().at(-1)?.kind).toBe('reminder');
    expect(await conversation.say('yes')).toMatchObject({ kind: 'answered', run: nara?.run });
    expect(names()).toEqual(['Kyoto', 'Nara*']);
    await theseHold(home.folder);
  });

  it('end with a recommendation that is a field of the reply and of the report', async () => {
    await using home = await openHome({ script: planner });
    const conversation = await home.dandori.conversation();
    await conversation.say('a trip to Kyoto');
    await conversation.say('yes');
    await conversation.settled();
    const next = { text: 'Book a room', goal: 'book a room in Kyoto' };
    expect(conversation.messages().at(-1)).toMatchObject({ kind: 'reply', next });
    const [{ run } = { run: '' }] = conversation.runs();
    expect(await home.dandori.report(run)).toMatchObject({ next });
    const report = conversation.messages().find(({ kind }) => kind === 'report');
    expect(report).toMatchObject({ byMind: false, next: { text: 'Find the place' } });
  });

  it('recommend to run a failed goal again', async () => {
    await using home = await openHome({
      script: () => say([own('answer', { text: 'No.', achieved: false })]),
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('月へ行く計画');
    await conversation.settled();
    expect(conversation.messages().at(-1)).toMatchObject({
      outcome: 'failed',
      next: { text: 'もう一度実行', goal: '月へ行く計画' },
    });
  });
});
