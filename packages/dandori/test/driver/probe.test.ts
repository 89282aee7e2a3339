import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Probe } from '../../src/model/tool.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { Journal } from '../../src/store/journal.ts';
import type { Fault, FunctionTool } from '../../src/testing/function-toolbox.ts';
import { count, createHouse, DONE, type House, task } from './house.ts';

const PROBE: Probe = {
  tool: 'mail.find_sent',
  args: { to: '{to}', query: 'key={idempotency_key}', limit: '{count}' },
  settledWhen: 'length(messages) > `0`',
  result: 'messages[0]',
  wait: 1_000,
};
const SEND = task('send', 'mail.send', { args: { to: 'aya@example.com', count: 3 } });

/** A mail server that keeps what it sent, so that a probe can find it. */
function mailHouse(
  faults: readonly (Fault | undefined)[],
  { probe = PROBE, find = {} }: { probe?: Probe; find?: FunctionTool } = {},
): House {
  const sent: JsonObject[] = [];
  return createHouse(
    {
      'mail.send': {
        effect: 'write',
        probe,
        faults,
        run: ({ to = null }) => {
          sent.push({ id: `m${sent.length + 1}`, to });
          return { id: `m${sent.length}` };
        },
      },
      'mail.find_sent': { run: () => ({ messages: sent }), ...find },
      'mail.delete': { effect: 'destructive', run: () => ({ messages: [] }) },
    },
    // If a command comes in between, the mind is asked twice.
    [...DONE, ...DONE],
  );
}

describe('a call in doubt with a probe', () => {
  it('is found: it is not sent again, the user is not asked, and its result is what the probe returns', async () => {
    const house = mailHouse([{ kind: 'lost_after' }]);
    const state = await house.run('go', [SEND, task('note', 'mail.find_sent', { after: ['send'] })]);
    expect(state.end?.outcome).toBe('answered');
    expect(state.questions.size).toBe(0);
    expect(house.toolbox.effects('mail.send')).toBe(1);
    expect(state.tasks.get('send')?.result).toEqual({ value: { id: 'm1', to: 'aya@example.com' } });
  });

  it('is probed with the typed arguments of the call, under a key of its own and after a delay', async () => {
    const house = mailHouse([{ kind: 'lost_after' }]);
    await house.run('go', [SEND]);
    const [call, look] = house.toolbox.calls;
    const { key } = call?.call ?? {};
    expect(look?.call).toMatchObject({
      operation: 'mail.find_sent',
      args: { to: 'aya@example.com', query: `key=${key}`, limit: 3 },
      key: `${key}/probe`,
    });
    expect((look?.startedAt ?? 0) - (call?.endedAt ?? 0)).toBe(PROBE.wait);
  });

  it('is not found: it is sent again under the same key', async () => {
    const house = mailHouse([{ kind: 'lost_before' }]);
    const state = await house.run('go', [SEND]);
    expect(state.end?.outcome).toBe('answered');
    expect(state.questions.size).toBe(0);
    expect(house.toolbox.effects('mail.send')).toBe(1);
    const sends = house.toolbox.calls.filter(({ call }) => call.operation === 'mail.send');
    expect(new Set(sends.map(({ call }) => call.key)).size).toBe(1);
    expect(sends).toHaveLength(2);
  });

  it('that is lost again and again leads to a question in the end', async () => {
    const house = mailHouse(Array.from({ length: 20 }, () => ({ kind: 'lost_before' }) as const));
    const run = await house.start('go', [SEND]);
    const state = await house.drive(run);
    expect([...state.questions.values()].map(({ question }) => question.kind)).toEqual(['in_doubt']);
    expect(count(await house.events(run), 'probe_started')).toBe(3);
  });

  it.each<[string, Parameters<typeof mailHouse>[1], string]>([
    [
      'a probe that fails',
      { find: { faults: [{ kind: 'fail', message: 'the index is down' }] } },
      'the index is down',
    ],
    ['a probe that is lost', { find: { faults: [{ kind: 'lost_after' }] } }, 'connection lost'],
    ['a probe that hangs', { find: { faults: [{ kind: 'hang' }] } }, 'Timed out after 60 s.'],
    ['an answer of another shape', { find: { run: () => ['m1'] } }, 'settled_when gives'],
    [
      'neither true nor false',
      { probe: { ...PROBE, settledWhen: 'messages[0].id' } },
      'settled_when gives "m1"',
    ],
    ['no such tool', { probe: { ...PROBE, tool: 'mail.look' } }, 'no tool mail.look'],
    ['a probe that writes', { probe: { ...PROBE, tool: 'mail.delete' } }, 'is not a read'],
    [
      'an argument that the call has not',
      { probe: { ...PROBE, args: { id: '{id}' } } },
      'the call has no argument id',
    ],
  ])('%s settles nothing: a person is asked and told why', async (_, options, why) => {
    const house = mailHouse([{ kind: 'lost_after' }], options);
    const run = await house.start('go', [SEND]);
    const state = await house.drive(run);
    const [open] = state.questions.values();
    const probed = (await house.events(run)).find(({ type }) => type === 'probe_ended');
    if (why.startsWith('settled_when')) expect(probed?.data).toMatchObject({ code: 'probe_unclear' });
    expect(open?.question).toMatchObject({ kind: 'in_doubt', task: 'send' });
    expect(JSON.stringify(open?.question.context)).toContain(why.replaceAll('"', '\\"'));
    expect(house.toolbox.effects('mail.send')).toBe(1);
    expect(house.toolbox.effects('mail.delete')).toBe(0);
    await house.answer(run, 'q1', 'happened');
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(house.toolbox.effects('mail.send')).toBe(1);
  });

  it('that no probe can find is asked about with what is known: its key, when it was called, and why', async () => {
    const house = createHouse({ 'mail.send': { effect: 'write', faults: [{ kind: 'lost_after' }] } }, DONE);
    const run = await house.start('go', [SEND]);
    const [lost] = (await house.drive(run)).questions.values();
    const called = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(lost?.question.context).toMatchObject({
      key: `${run}/send`,
      called,
      cause: 'connection lost',
      effect: 'write',
    });
    const other = createHouse({ 'mail.send': { effect: 'write' } }, DONE);
    const begun = (await house.events(run)).findIndex(({ type }) => type === 'task_started');
    await other.parts.journal.create(run, (await house.events(run)).slice(0, begun + 1));
    const [left] = (await other.drive(run)).questions.values();
    const cause = "Dandori's process ended during the call.";
    expect(left?.question.context).toMatchObject({ key: `${run}/send`, called, cause });
  });

  it('is probed again if the driver was lost during the probe, at any moment', async () => {
    const whole = mailHouse([{ kind: 'lost_after' }]);
    const first = await whole.start('go', [SEND]);
    await whole.drive(first);
    const events = await whole.events(first);
    for (let length = 2; length < events.length; length++) {
      const house = mailHouse([]);
      await house.parts.journal.create(first, events.slice(0, length));
      const sentBefore = events.slice(0, length).some(({ type }) => type === 'task_started') ? 1 : 0;
      // The world before the crash: the mail is out exactly if the call had been made.
      if (sentBefore === 1) await house.toolbox.call(callOf(first));
      let state = await house.drive(first);
      if (state.indexes.openQuestions > 0) {
        await answerQuestion({ run: first, question: 'q1', answer: 'happened' }, house.parts);
        state = await house.drive(first);
      }
      expect(state.end?.outcome, `after ${length} events`).toBe('answered');
      expect(house.toolbox.effects('mail.send'), `after ${length} events`).toBe(1);
    }
  });

  it('is not awaited forever if a command arrives right before the result of the probe', async () => {
    const house = mailHouse([{ kind: 'lost_after' }]);
    const run = await house.start('go', [SEND]);
    const { append } = house.parts.journal;
    let isNoted = false;
    const journal: Journal = {
      ...house.parts.journal,
      async append(name, after, events) {
        if (!isNoted && events.some(({ type }) => type === 'probe_ended')) {
          isNoted = true;
          const note = { type: 'note_added' as const, data: { text: 'hurry' } };
          await append(name, after, [{ v: 1, run: name, seq: after + 1, at: house.clock.now(), ...note }]);
        }
        return append(name, after, events);
      },
    };
    const state = await house.drive(run, { journal });
    expect(isNoted).toBe(true);
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.effects('mail.send')).toBe(1);
  });

  it('leaves a journal from which the same state is folded', async () => {
    const house = mailHouse([{ kind: 'lost_after' }]);
    const run = await house.start('go', [SEND]);
    const state = await house.drive(run);
    expect(fold(await house.events(run))).toEqual(state);
  });

  it('a cancel during the probe ends the run, and says that the outcome is unknown', async () => {
    const house = mailHouse([{ kind: 'lost_after' }], { find: { faults: [{ kind: 'hang' }] } });
    const run = await house.start('go', [SEND]);
    const unwatch = house.parts.journal.watch(run, () => {
      void house.events(run).then((events) => {
        if (events.at(-1)?.type === 'probe_started') void house.cancel(run, 'enough').catch(() => {});
      });
    });
    const state = await house.drive(run);
    unwatch();
    expect(state.end).toMatchObject({
      outcome: 'cancelled',
      missing: ['send mail.send: outcome unconfirmed'],
    });
  });
});

function callOf(run: string): Parameters<House['toolbox']['call']>[0] {
  return {
    operation: 'mail.send',
    args: SEND.args,
    key: `${run}/send`,
    run,
    task: 'send',
    signal: new AbortController().signal,
  };
}
