import { expect, it } from 'vitest';
import { cancelAll } from '../../src/server/conversations.ts';
import { PLAN } from '../conversation/script.ts';
import { openHome, own, say } from '../requirements/home.ts';

it('cancels the rest of a conversation also where one of its runs has ended a moment ago', async () => {
  await using home = await openHome({ script: () => say([own('plan.propose', PLAN)]) });
  const conversation = await home.dandori.conversation();
  await conversation.say('plan a trip');
  await conversation.say('plan another trip');
  const seen = conversation.runs();
  expect(seen.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting']);
  const [first, second] = seen.map(({ run }) => run);
  await conversation.cancel(first ?? '', 'enough');
  await conversation.settled();
  expect(conversation.runs()[0]?.outcome).toBe('cancelled');
  // What was seen before the first had ended.
  const late = { runs: () => seen, cancel: conversation.cancel };
  expect(await cancelAll(late, { reason: 'no more', by: undefined })).toEqual([second]);
  await conversation.settled();
  expect(conversation.runs()[1]?.outcome).toBe('cancelled');
});
