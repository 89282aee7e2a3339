import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/conversation/conversation.ts';
import type { RecordedRequest } from '../../src/testing/model-server/index.ts';
import { act, answer, facts, openHome, own, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';
import { PLAN, tripModel } from './script.ts';

const told = (conversation: Conversation) =>
  conversation.messages().map(({ role, kind, text }) => `${role} ${kind}: ${text.split('\n')[0]}`);

describe('work of several steps', () => {
  it('is proposed, done in the background after approval, and reported while the chat continues', async () => {
    const trip = tripModel();
    const isAsked = Promise.withResolvers<void>();
    const script = async (request: RecordedRequest) => {
      // On a fast machine the trip would end before anything else is said.
      if (/capital of France/.test(request.promptText)) isAsked.resolve();
      else if (/Steps: s1/.test(JSON.stringify(request.body.messages?.at(-1)))) await isAsked.promise;
      return trip(request);
    };
    await using home = await openHome({ script });
    const conversation = await home.dandori.conversation();
    expect(await conversation.say('plan a trip')).toMatchObject({ kind: 'begun', standing: 'waiting' });
    expect(conversation.questions()).toMatchObject([{ question: { kind: 'plan_approval' } }]);
    expect(conversation.messages().at(-1)?.text).toContain('s1. Look at the weather\ns2. Find the place');
    expect(home.calls).toEqual([]);
    expect(await conversation.say('yes')).toMatchObject({ kind: 'answered', standing: 'background' });
    expect(await conversation.say('what is the capital of France?')).toMatchObject({ standing: 'ended' });
    await conversation.settled();
    const said = told(conversation);
    expect(said).toContain('agent reply: Paris.');
    expect(said).toContain('agent report: Step 1 went well: sun.');
    expect(
      said.at(-1) === 'agent reply: The trip is planned.' ||
        said.includes('agent reply: The trip is planned.'),
    ).toBe(true);
    const report = conversation.messages().find(({ kind }) => kind === 'report');
    expect(report).toMatchObject({
      step: 's1',
      outcome: 'completed',
      tally: { done: 1, failed: 0, total: 1, steps: { done: 1, total: 2 } },
      byMind: true,
    });
    // The step that ended with the run is told of by the reply.
    expect(conversation.messages().filter(({ kind }) => kind === 'report')).toHaveLength(1);
    await theseHold(home.folder);
  });

  it('is reported by the runtime if the mind says nothing about it', async () => {
    await using home = await openHome({ script: tripModel({ isSilent: true }) });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('go ahead');
    await conversation.settled();
    const report = conversation.messages().find(({ kind }) => kind === 'report');
    expect(report).toMatchObject({
      text: 'Look at the weather: done (1 of 1 task). Next: s2.',
      byMind: false,
    });
  });

  it('needs no extra model call for its reports', async () => {
    await using home = await openHome({ script: tripModel() });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('yes');
    await conversation.settled();
    // The plan, the tasks of each step, the answer.
    expect(home.model.requests).toHaveLength(4);
  });

  it('says why a step failed', async () => {
    const isGoal = /Goal:\nplan/;
    await using home = await openHome({
      yaml: 'execution: { retry: { attempts: 1 } }\n',
      script: ({ promptText, body }) => {
        const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
        if (/Steps to report: s1/.test(last)) {
          const over = [own('report', { step: 's1', text: 'The line was closed.' })];
          return say([...over, own('answer', { text: 'It could not be done.', achieved: false })]);
        }
        if (/Steps: s1/.test(last)) return say([act('t1', 'travel.closed', {}, { step: 's1' })]);
        return isGoal.test(promptText) ? say([own('plan.propose', PLAN)]) : undefined;
      },
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('yes');
    await conversation.settled();
    expect(conversation.messages().slice(-2)).toMatchObject([
      {
        kind: 'report',
        outcome: 'failed',
        text: 'The line was closed.',
        causes: [expect.stringContaining('closed for the night')],
      },
      { kind: 'reply', outcome: 'failed', causes: [expect.stringContaining('closed for the night')] },
    ]);
  });
});

describe('words about a plan that waits for approval', () => {
  it('stay a note if a model passes them on: the user rejects, and the next plan follows them', async () => {
    const model = tripModel();
    await using home = await openHome({
      script: (request) => {
        const { promptText } = request;
        const run = /- run (\S+), "plan a trip/.exec(promptText)?.[1];
        if (/"operation":"run\.tell"[\s\S]*<result/.test(promptText)) return answer('I passed it on.');
        if (/Goal:\nskip step 2/.test(promptText))
          return say([act('t1', 'run.tell', { run: run ?? '', text: 'skip step 2' })]);
        if (/skip step 2/.test(JSON.stringify(request.body.messages?.at(-1))))
          return say([
            own('plan.propose', { ...PLAN, steps: [{ id: 's1', description: 'Only the weather' }] }),
          ]);
        return model(request);
      },
    });
    const conversation = await home.dandori.conversation();
    const first = await conversation.say('plan a trip');
    const run = 'run' in first ? first.run : '';
    const second = await conversation.say('skip step 2');
    expect(second).toMatchObject({ kind: 'begun', standing: 'ended' });
    expect(conversation.questions()).toMatchObject([{ run, question: { id: 'q1', kind: 'plan_approval' } }]);
    expect(await conversation.say('no')).toMatchObject({ kind: 'answered', run });
    await conversation.settled();
    expect(conversation.questions()).toMatchObject([{ run, question: { id: 'q2', kind: 'plan_approval' } }]);
    expect(conversation.messages().findLast(({ kind }) => kind === 'question')?.text).toContain(
      's1. Only the weather',
    );
    expect(facts(await home.events(run), 'note_added')).toEqual([
      { text: 'skip step 2', passedOnBy: { run: 'run' in second ? second.run : '', isClean: true } },
    ]);
    expect(home.calls).toEqual([]);
  });
});

describe('a conversation that is closed', () => {
  it('lets calls finish, starts nothing new, and continues when it is opened again', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using home = await openHome({
      script: async (request) => {
        const reply = tripModel()(request);
        if (/Steps: s2/.test(JSON.stringify(request.body.messages?.at(-1)?.content))) await held;
        return reply;
      },
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('plan a trip');
    await conversation.say('yes');
    await expect.poll(() => home.model.requests.length).toBe(3);
    const closed = home.dandori.close();
    release();
    await closed;
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather']);
    const again = await (await home.reopen()).conversation(conversation.id);
    await again.settled();
    expect(home.calls.map(({ operation }) => operation)).toEqual(['weather', 'locate']);
    expect(told(again).filter((line) => line.startsWith('agent'))).toEqual([
      expect.stringContaining('agent question:'),
      'agent report: Step 1 went well: sun.',
      'agent reply: The trip is planned.',
    ]);
    await theseHold(home.folder);
  });
});
