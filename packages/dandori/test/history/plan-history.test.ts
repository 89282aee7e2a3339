import { expect, it } from 'vitest';
import { planEntries } from '../../src/history/plan-history.ts';
import type { Event, Fact } from '../../src/model/event.ts';

const events = (...facts: Fact[]): Event[] =>
  facts.map((fact, index) => ({ v: 1, run: 'r', seq: index + 1, at: index, ...fact }));

const proposed = (version: number, by: 'mind' | 'user'): Fact => ({
  type: 'plan_proposed',
  data: { version, by, tasks: [] },
});

it('a plan that a person has edited is replaced, and one that waits is open', () => {
  const [first, second] = planEntries(events(proposed(1, 'mind'), proposed(2, 'user')));
  expect(first).toMatchObject({ version: 1, isReplaced: true });
  expect(first).not.toHaveProperty('isAccepted');
  expect(second).not.toHaveProperty('isReplaced');
});

it('a revision that a person has edited is replaced too', () => {
  const revised = (version: number, by: 'mind' | 'user'): Fact => ({
    type: 'plan_revised',
    data: { version, by, tasks: [], removes: [], reason: 'bread is sold out', changes: [] },
  });
  const [first, second] = planEntries(events(revised(2, 'mind'), revised(3, 'user')));
  expect(first).toMatchObject({ version: 2, isReplaced: true });
  expect(second).not.toHaveProperty('isReplaced');
});

it('a plan that was accepted before a person proposed another stays accepted', () => {
  const approved: Fact = { type: 'plan_approved', data: { version: 1, tasks: [] } };
  const [first] = planEntries(events(proposed(1, 'mind'), approved, proposed(2, 'user')));
  expect(first).toMatchObject({ isAccepted: true });
  expect(first).not.toHaveProperty('isReplaced');
});
