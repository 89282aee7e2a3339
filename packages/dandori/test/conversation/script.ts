import type { JsonObject } from '../../src/model/json.ts';
import type { ModelReply, RecordedRequest } from '../../src/testing/model-server/index.ts';
import { act, answer, own, say } from '../requirements/home.ts';

/** What a model says in the conversation of REQUIREMENTS E: a trip in two steps, and small talk in between. */
export const PLAN: JsonObject = {
  objective: 'A trip to Kyoto',
  steps: [
    { id: 's1', description: 'Look at the weather' },
    { id: 's2', description: 'Find the place', after: ['s1'] },
  ],
};

export interface Trip {
  /** The actions of step 1 and step 2. */
  readonly first?: readonly ReturnType<typeof act>[];
  readonly second?: readonly ReturnType<typeof act>[];
  /** Without reports the runtime has to write them. */
  readonly isSilent?: boolean;
}

/** Answers by what it is asked, as several runs ask at the same time. */
export function tripModel({ first, second, isSilent = false }: Trip = {}) {
  return ({ promptText, body }: RecordedRequest): ModelReply | undefined => {
    const goal = /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
    const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
    if (/capital of France/.test(goal)) return answer('Paris.');
    if (!/trip/.test(goal)) return undefined;
    if (/Steps: s1/.test(last))
      return say(first ?? [act('t1', 'travel.weather', { city: 'Kyoto' }, { step: 's1' })]);
    if (/Steps: s2/.test(last)) {
      const list = second ?? [act('t2', 'travel.locate', { ip: '203.0.113.7' }, { step: 's2' })];
      return say(isSilent ? list : [own('report', { step: 's1', text: 'Step 1 went well: sun.' }), ...list]);
    }
    if (/"?answer|Progress: 2 of 2|<result/.test(last)) return answer('The trip is planned.');
    return say([own('plan.propose', PLAN)]);
  };
}
