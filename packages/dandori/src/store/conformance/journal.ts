import assert from 'node:assert/strict';
import type { Event, Fact } from '../../model/event.ts';
import { type Json, parseJson, stringifyJson } from '../../model/json.ts';
import type { Journal, ListOptions } from '../journal.ts';
import { casesOf, createBell, eventAt, firstEvent, type Open, rejects, type StoreCase } from './cases.ts';

/**
 * The invariants of `store/journal` as cases that every journal must pass. They need no test framework:
 * `for (const { name, run } of journalCases(open)) it(name, run)`.
 */
export function journalCases(open: Open<{ readonly journal: Journal }>): StoreCase[] {
  return casesOf(CASES, async () => {
    const opened = await open();
    return { part: opened.journal, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  });
}

const CASES: Record<string, (journal: Journal) => Promise<void>> = {
  async 'J1: a created run has all its first events'(journal) {
    const events = [firstEvent('r1'), eventAt('r1', 2), eventAt('r1', 3)];
    await journal.create('r1', events);
    assert.deepEqual(await journal.read('r1'), events);
  },

  async 'J1: a run that exists is not created again, and does not change'(journal) {
    await journal.create('r1', [firstEvent('r1', 'first')]);
    await rejects(journal.create('r1', [firstEvent('r1', 'second'), eventAt('r1', 2)]), 'run-exists');
    assert.deepEqual(await journal.read('r1'), [firstEvent('r1', 'first')]);
  },

  async 'J1: if many create the same run at once, one succeeds'(journal) {
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => journal.create('r1', [firstEvent('r1', `by ${index}`)])),
    );
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await journal.read('r1')).length, 1);
  },

  async 'J2: an append after the last event succeeds'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append('r1', 1, [eventAt('r1', 2), eventAt('r1', 3)]);
    await journal.append('r1', 3, [eventAt('r1', 4)]);
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2, 3, 4]);
  },

  async 'J2: any other append is refused and writes nothing'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    await rejects(journal.append('r1', 1, [eventAt('r1', 2)]), 'journal-conflict');
    await rejects(journal.append('r1', 0, [eventAt('r1', 1)]), 'journal-conflict');
    await rejects(journal.append('r1', 7, [eventAt('r1', 8)]), 'journal-conflict');
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2]);
    await journal.append('r1', 2, [eventAt('r1', 3)]);
  },

  async 'J2: if many append after the same event, one succeeds'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const writers = Array.from({ length: 8 }, () => journal.append('r1', 1, [eventAt('r1', 2)]));
    const settled = await Promise.allSettled(writers);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2]);
  },

  async 'J2: a driver need not wait for one append before the next'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => journal.append('r1', index + 1, [eventAt('r1', index + 2)])),
    );
    await claim.release();
    assert.deepEqual(seqs(await journal.read('r1')), range(1, 51));
  },

  async 'J2: a refused append does not affect those queued around it'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    const [first, odd, last] = await Promise.allSettled([
      journal.append('r1', 1, [eventAt('r1', 2)]),
      journal.append('r1', 9, [eventAt('r1', 10)]),
      journal.append('r1', 2, [eventAt('r1', 3)]),
    ]);
    await claim.release();
    assert.deepEqual([first?.status, odd?.status, last?.status], ['fulfilled', 'rejected', 'fulfilled']);
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2, 3]);
  },

  async 'J2: events with wrong numbers are a bug, and none of them is written'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    for (const wrong of [[1], [3], [2, 2], [2, 4]]) {
      const events = wrong.map((seq) => eventAt('r1', seq));
      await assert.rejects(journal.append('r1', 1, events), /must come/);
    }
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2]);
  },

  async 'J2: an append of nothing compares and writes nothing'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append('r1', 1, []);
    await rejects(journal.append('r1', 5, []), 'journal-conflict');
    assert.equal((await journal.read('r1')).length, 1);
  },

  async 'J4: every value comes back as it was'(journal) {
    const odd = parseJson(
      '{"__proto__": {"x": 1}, "constructor": 2, "": [null, true, -0.5, 1e300, -9223372036854775808]}',
    );
    const texts = [
      '日本語 🗾',
      'line\nbreak\r\n\u2028',
      '\ud800 alone',
      '\0',
      '"\\',
      '${t1.x}',
      'x'.repeat(100_000),
    ];
    const result: Json = [odd, ...texts];
    const fact: Fact = { type: 'task_succeeded', data: { task: 't', attempt: 1, result, ms: 0.5 } };
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append('r1', 1, [eventAt('r1', 2, fact)]);
    await journal.append('r1', 2, [eventAt('r1', 3)]);
    const [, read, next] = await journal.read('r1');
    assert.equal(stringifyJson(read), stringifyJson(eventAt('r1', 2, fact)));
    assert.equal(next?.seq, 3);
  },

  async 'J4: a reader gets only what it does not have yet'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    for (let seq = 2; seq <= 6; seq++) {
      await journal.append('r1', seq - 1, [eventAt('r1', seq)]);
      assert.deepEqual(seqs(await journal.read('r1', seq - 1)), [seq]);
    }
    for (const after of [0, 3, 1, 5, 6, 2, 99])
      assert.deepEqual(seqs(await journal.read('r1', after)), range(after + 1, 6));
  },

  async 'J4: a reader gets the same events whether or not a driver holds the run'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    await journal.append('r1', 1, [eventAt('r1', 2), eventAt('r1', 3)]);
    for (const after of [0, 1, 2, 3])
      assert.deepEqual(seqs(await journal.read('r1', after)), range(after + 1, 3));
    await journal.append('r1', 3, [eventAt('r1', 4)]);
    assert.deepEqual(seqs(await journal.read('r1', 1)), [2, 3, 4]);
    await claim.release();
    assert.deepEqual(seqs(await journal.read('r1', 1)), [2, 3, 4]);
  },

  async 'a missing run is reported as missing'(journal) {
    await rejects(journal.read('nope'), 'run-not-found');
    await rejects(journal.append('nope', 0, [firstEvent('nope')]), 'run-not-found');
    await rejects(journal.claim('nope'), 'run-not-found');
    await rejects(journal.first('nope'), 'run-not-found');
    assert.deepEqual(await journal.list(), []);
  },

  async 'runs do not disturb each other'(journal) {
    await Promise.all(['a', 'b', 'c'].map((run) => journal.create(run, [firstEvent(run)])));
    const writes = ['a', 'b', 'c'].map(async (run) => {
      for (let seq = 2; seq <= 20; seq++) await journal.append(run, seq - 1, [eventAt(run, seq)]);
    });
    await Promise.all(writes);
    for (const run of ['a', 'b', 'c']) {
      const events = await journal.read(run);
      assert.deepEqual(seqs(events), range(1, 20));
      assert.ok(events.every((event) => event.run === run));
    }
  },

  async 'the list is newest first, in pages, with the status of each run'(journal) {
    const ends: [string, Fact | undefined, string][] = [
      ['20260101-a', undefined, 'open'],
      [
        '20260102-a',
        { type: 'question_asked', data: { question: { id: 'q1', kind: 'approval', text: '?' } } },
        'waiting',
      ],
      ['20260103-a', { type: 'run_finished', data: { outcome: 'answered', answer: 'x' } }, 'answered'],
      ['20260104-a', { type: 'run_finished', data: { outcome: 'cancelled' } }, 'cancelled'],
    ];
    for (const [run, end] of ends) {
      await journal.create(run, [
        firstEvent(run, `goal of ${run}`),
        ...(end === undefined ? [] : [eventAt(run, 2, end)]),
      ]);
    }
    const all = await journal.list();
    const newest = ends.toReversed();
    assert.deepEqual(
      all.map(({ run, status }) => [run, status]),
      newest.map(([run, , status]) => [run, status]),
    );
    assert.deepEqual(all[0], {
      run: '20260104-a',
      goal: 'goal of 20260104-a',
      startedAt: 1_001,
      lastAt: 1_002,
      lastSeq: 2,
      status: 'cancelled',
    });
    const page = await journal.list({ limit: 2 });
    assert.deepEqual(
      page.map(({ run }) => run),
      ['20260104-a', '20260103-a'],
    );
    const rest = await journal.list({ limit: 5, before: '20260103-a' });
    assert.deepEqual(
      rest.map(({ run }) => run),
      ['20260102-a', '20260101-a'],
    );
  },

  async 'the list can be narrowed to statuses and to a user, page by page'(journal) {
    const end: Fact = { type: 'run_finished', data: { outcome: 'answered', answer: 'x' } };
    for (let index = 10; index < 22; index++) {
      const run = `run-${index}`;
      const first = firstEvent(run, 'test', index % 3 === 0 ? 'ann' : 'ben');
      await journal.create(run, index % 2 === 0 ? [first] : [first, eventAt(run, 2, end)]);
    }
    const names = async (options: ListOptions) => (await journal.list(options)).map(({ run }) => run);
    assert.deepEqual(await names({ status: ['open'], limit: 2 }), ['run-20', 'run-18']);
    assert.deepEqual(await names({ status: ['open'], limit: 2, before: 'run-12' }), ['run-10']);
    assert.deepEqual(await names({ userId: 'ann' }), ['run-21', 'run-18', 'run-15', 'run-12']);
    assert.deepEqual(await names({ userId: 'ann', status: ['open', 'waiting'] }), ['run-18', 'run-12']);
    assert.deepEqual(await names({ status: ['paused'] }), []);
    assert.equal((await names({ status: ['open', 'answered'] })).length, 12);
    // An append changes the status.
    await journal.append('run-18', 1, [eventAt('run-18', 2, end)]);
    assert.deepEqual(await names({ status: ['open'], userId: 'ann' }), ['run-12']);
  },

  async 'the first event is found without the rest'(journal) {
    await journal.create('r1', [firstEvent('r1', 'one'), eventAt('r1', 2)]);
    await journal.append('r1', 2, [eventAt('r1', 3)]);
    assert.deepEqual(await journal.first('r1'), firstEvent('r1', 'one'));
  },

  async 'J5: one driver at a time holds a run'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    await journal.create('r2', [firstEvent('r2')]);
    const claim = await journal.claim('r1');
    await rejects(journal.claim('r1'), 'run-driven-elsewhere');
    await (await journal.claim('r2')).release();
    await claim.release();
    await (await journal.claim('r1')).release();
  },

  async 'J5: a claim that says which event is the last says it as of then'(journal) {
    await journal.create('r1', [firstEvent('r1'), eventAt('r1', 2)]);
    const first = await journal.claim('r1');
    assert.ok(first.last === undefined || first.last === 2);
    await journal.append('r1', 2, [eventAt('r1', 3)], first);
    await first.release();
    await journal.append('r1', 3, [eventAt('r1', 4)]);
    const second = await journal.claim('r1');
    assert.ok(second.last === undefined || second.last === 4);
    await second.release();
  },

  async 'J5: if many claim a run at once, one succeeds'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const settled = await Promise.allSettled(Array.from({ length: 8 }, () => journal.claim('r1')));
    const won = settled.filter((one) => one.status === 'fulfilled');
    assert.equal(won.length, 1);
    await won[0]?.value.release();
  },

  async 'J5: releasing a claim twice does not take the run from the next driver'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const first = await journal.claim('r1');
    await first.release();
    const second = await journal.claim('r1');
    await first.release();
    await rejects(journal.claim('r1'), 'run-driven-elsewhere');
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    await second.release();
  },

  async 'J6: a removed run is gone, and its id is free again'(journal) {
    await journal.create('r1', [firstEvent('r1', 'first'), eventAt('r1', 2)]);
    await journal.create('r2', [firstEvent('r2')]);
    assert.ok((await journal.size('r1')) > (await journal.size('r2')));
    await journal.remove('r1', 2);
    await rejects(journal.read('r1'), 'run-not-found');
    await rejects(journal.read('r1', 1), 'run-not-found');
    await rejects(journal.size('r1'), 'run-not-found');
    await rejects(journal.append('r1', 2, [eventAt('r1', 3)]), 'run-not-found');
    await rejects(journal.remove('r1', 2), 'run-not-found');
    assert.deepEqual(
      (await journal.list()).map(({ run }) => run),
      ['r2'],
    );
    await journal.create('r1', [firstEvent('r1', 'second')]);
    assert.deepEqual(await journal.read('r1'), [firstEvent('r1', 'second')]);
  },

  async 'J6: a run that was written to or is claimed is not removed'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    await rejects(journal.remove('r1', 1), 'journal-conflict');
    const claim = await journal.claim('r1');
    await rejects(journal.remove('r1', 2), 'run-driven-elsewhere');
    await claim.release();
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2]);
    await journal.remove('r1', 2);
  },

  async 'J6: of an append and a removal at once, one succeeds and the other fails'(journal) {
    for (let round = 0; round < 8; round++) {
      await journal.create('r1', [firstEvent('r1')]);
      const work = [journal.append('r1', 1, [eventAt('r1', 2)]), journal.remove('r1', 1)];
      const settled = await Promise.allSettled(work);
      assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
      const isThere = (await journal.list()).length === 1;
      if (isThere) await journal.remove('r1', 2);
    }
  },

  async 'J7: a driver appends with its claim, and not after the claim has ended'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const first = await journal.claim('r1');
    assert.equal(first.lost.aborted, false);
    await journal.append('r1', 1, [eventAt('r1', 2)], first);
    await first.release();
    await rejects(journal.append('r1', 2, [eventAt('r1', 3)], first), 'run-driven-elsewhere');
    const second = await journal.claim('r1');
    await rejects(journal.append('r1', 2, [eventAt('r1', 3)], first), 'run-driven-elsewhere');
    await journal.append('r1', 2, [eventAt('r1', 3)], second);
    // A command needs no claim.
    await journal.append('r1', 3, [eventAt('r1', 4)]);
    await second.release();
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2, 3, 4]);
  },

  async 'a command can be written while a driver holds the run or releases it'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    const command = journal.append('r1', 2, [
      eventAt('r1', 3, { type: 'cancel_requested', data: { reason: 'x' } }),
    ]);
    await Promise.all([command, claim.release()]);
    assert.deepEqual(seqs(await journal.read('r1')), [1, 2, 3]);
  },

  async 'a watcher is told of every append, including those of other processes'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    const bell = createBell();
    const unwatch = journal.watch('r1', bell.ring);
    for (let seq = 2; seq <= 5; seq++) {
      const rung = bell.next();
      await journal.append('r1', seq - 1, [eventAt('r1', seq)]);
      await rung;
    }
    unwatch();
    await claim.release();
  },

  async 'a watcher is not told of a last event before one that was acknowledged'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    const bell = createBell();
    let acknowledged = 1;
    let isBehind = false;
    const unwatch = journal.watch('r1', (last = Number.POSITIVE_INFINITY) => {
      isBehind ||= last < acknowledged;
      bell.ring();
    });
    for (let seq = 2; seq <= 5; seq++) {
      const rung = bell.next();
      await journal.append('r1', seq - 1, [eventAt('r1', seq)]);
      acknowledged = seq;
      await rung;
    }
    unwatch();
    await claim.release();
    assert.ok(!isBehind);
  },

  async 'a run can be watched before it exists'(journal) {
    const bell = createBell();
    const unwatch = journal.watch('r1', bell.ring);
    const created = bell.next();
    await journal.create('r1', [firstEvent('r1')]);
    await created;
    const rung = bell.next();
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    await rung;
    unwatch();
    journal.watch('../nope', () => {})();
  },

  async 'a watcher that stopped is not called again'(journal) {
    await journal.create('r1', [firstEvent('r1')]);
    let rings = 0;
    journal.watch('r1', () => rings++)();
    const bell = createBell();
    const unwatch = journal.watch('r1', bell.ring);
    const rung = bell.next();
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    await rung;
    unwatch();
    assert.equal(rings, 0);
  },
};

function seqs(events: readonly Event[]): number[] {
  return events.map(({ seq }) => seq);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
