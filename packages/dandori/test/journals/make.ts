import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import { addBudget, addNote, cancelRun, continueRun, pauseRun, rateRun } from '../../src/commands/steer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { forkRun } from '../../src/history/fork.ts';
import { createMemoryStore, type Dandori, openDandori, type Store, tool } from '../../src/index.ts';
import type { Event } from '../../src/model/event.ts';
import { blobsOf } from '../../src/model/event-kinds.ts';
import type { Json } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { Effect } from '../../src/model/tool.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createFileBlobs } from '../../src/store/files/blobs.ts';
import { toAppendLine, toLine } from '../../src/store/files/line.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import {
  createFunctionToolbox,
  createScriptedMind,
  createStepClock,
  type FunctionTool,
  type Reply,
  type StepClock,
} from '../../src/testing/index.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { report } from '../../src/views/report.ts';
import { digestsOf } from './golden.ts';

/**
 * `npm run journals` writes the journals of this version that are not there yet: real runs of the real engine on a step
 * clock, into the folder that is named by the version of the package. What is there is never touched, in this folder or
 * in those of other versions: that it can still be read is what it is there for.
 */
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
const folder = join(import.meta.dirname, version);

const SETTINGS: Settings = {
  mode: 'planned',
  approval: 'destructive',
  concurrency: 4,
  limits: { steps: 10, calls: 30, tasks: 100, time: 600_000, cost: 1, tokens: 10_000 },
  planning: {
    strategy: 'plan_and_solve',
    decomposition: 'moderate',
    reflection: { onError: true, interval: 3 },
    revisions: 3,
  },
  task: { timeoutMs: 60_000, attempts: 3, backoff: 100 },
  repairs: 2,
  order: [],
};

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

const TOOLS: Record<string, FunctionTool> = {
  'places.find': { run: ({ q }) => ({ city: `city of ${String(q)}` }), takes: 20, cost: 0.01 },
  'weather.now': { run: ({ city }) => ({ sky: `sun over ${String(city)}` }), takes: 30 },
  'weather.closed': {
    run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'the line is closed' } }),
    takes: 5,
  },
  'archive.read': { run: () => 'archive '.repeat(5_000), faults: [{ kind: 'fail', retryable: true }] },
  'mail.send': { effect: 'destructive', run: () => ({ sent: true }), takes: 10 },
  'post.put': {
    effect: 'write',
    run: () => ({ id: 'p1' }),
    faults: [{ kind: 'lost_after' }],
    probe: { tool: 'post.find', args: {}, settledWhen: 'found', result: 'post', wait: 1_000 },
  },
  'post.find': { run: () => ({ found: true, post: { id: 'p1' } }) },
  'desk.book': {
    effect: 'idempotent',
    run: async ({ day = null }, { elicit }): Promise<Json | CallOutcome> => {
      const told = await elicit?.({ text: 'In which name?', form: NAME });
      if (told?.action === 'accept') return { day, name: told.content?.name ?? null };
      return { kind: 'failed', failure: { kind: 'tool_error', message: 'a name is needed' } };
    },
    takes: 10,
  },
  // A service: it reads, then makes two calls of its own, and the answer to the second one is lost.
  'store.restock': {
    effect: 'write',
    run: async (_, call): Promise<Json | CallOutcome> => {
      const make = async (tool: string, effect: Effect, item: string, outcome: CallOutcome) => {
        const key = `${call.key}/${tool}-${item}`;
        const inner = { key, operation: `store.${tool}`, args: { item }, effect };
        return (await call.inner?.(inner, async () => outcome)) ?? outcome;
      };
      const line: CallOutcome = { kind: 'lost', cause: 'connection_lost', message: 'the line is dead' };
      await make('left', 'read', 'all', { kind: 'succeeded', result: ['bolt', 'nut'] });
      await make('put', 'idempotent', 'bolt', { kind: 'succeeded', result: { stored: 'bolt' } });
      const last = await make('send', 'write', 'nut', line);
      return last.kind === 'succeeded' ? { restocked: 2 } : last;
    },
  },
  // Two parcels: without a number it is ambiguous.
  'parcel.drop': {
    effect: 'destructive',
    preview: ({ number }): Json | CallOutcome =>
      number === undefined
        ? {
            kind: 'ambiguous',
            question: 'Which parcel?',
            options: [1, 2].map((one) => ({ label: `No. ${one}`, value: one, args: { number: one } })),
          }
        : { summary: `Drop parcel ${String(number)}`, reversible: false, args: { exact: true } },
    run: ({ number = null }) => ({ dropped: number }),
  },
  'shop.order': { effect: 'write', run: () => ({ order: 1 }), faults: [{ kind: 'lost_after' }] },
};

const usage = { inputTokens: 100, outputTokens: 20, cost: 0.001 };
const decided = (actions: Extract<Reply, readonly unknown[]>, reasoning = 'so'): Reply => ({
  kind: 'decided',
  reasoning,
  usage,
  actions: actions.map((action, index) => ({ id: `o${index + 1}`, args: {}, ...action })),
});
const answered = decided([{ operation: 'answer', args: { text: 'It is done.', achieved: true } }]);

/** In memory while the runs go on: a step clock does not wait for a disk. */
const blobs = createMemoryBlobs();

interface House {
  readonly parts: Parts;
  start(goal: string, settings?: Partial<Settings>): Promise<string>;
  drive(run: string, parts?: Partial<Parts>): Promise<RunState>;
}

function createHouse(script: readonly Reply[], more: Partial<Parts> = {}): House {
  const clock = createStepClock(1_800_000_000_000);
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs,
    clock,
    toolbox: createFunctionToolbox(clock, TOOLS),
    mind: createScriptedMind(script, 'scripted/model'),
    check: createSchemaCheck(),
    secrets: [],
    driver: 'process 1 on somewhere',
    ...more,
  };
  return {
    parts,
    start: async (goal, settings) =>
      (await startRun({ goal, userId: 'u1', settings: { ...SETTINGS, ...settings } }, parts)).run,
    drive: (run, other) => clock.runUntil(drive(run, { ...parts, ...other })),
  };
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** With everything that only the library adds: memory, sub-goals. */
async function openedWith<T>(
  script: readonly Reply[],
  tell: (opened: { dandori: Dandori; folder: string; store: Store }) => Promise<T>,
): Promise<T> {
  const place = mkdtempSync(join(tmpdir(), 'dandori-journals-'));
  const store = { ...createMemoryStore(), blobs };
  await using dandori = await openDandori({
    cwd: place,
    store,
    model: createScriptedMind(script, 'scripted/model'),
    tools: { double: tool({ description: 'Doubles', effect: 'read', trusted: true, run: () => 42 }) },
    config: { memory: true, execution: { sub_goals: true } },
  });
  return await tell({ dandori, folder: place, store });
}

/** A question of the sub-goal is asked in the run. */
function subGoalStory(): Promise<{ parent: Event[]; child: Event[] }> {
  const ask = decided([{ operation: 'ask', args: { question: 'How often?' } }]);
  const double = decided([{ id: 'd', operation: 'double' }]);
  const goal = { goal: 'double it', tools: ['double'] };
  const script = [decided([{ id: 'a', operation: 'goal.run', args: goal }]), ask, double, answered, answered];
  return openedWith(script, async ({ dandori, store }) => {
    const run = dandori.run('Double 21');
    await run.report();
    for (const { id } of await run.questions()) await run.answer(id, 'once');
    await run.report();
    const named = async (id: string) =>
      JSON.parse(
        JSON.stringify(await store.journal.read(id)).replaceAll(run.id, 'with-a-sub-goal'),
      ) as Event[];
    return { parent: await named(run.id), child: await named(`${run.id}--a`) };
  });
}

async function stepByStep(): Promise<Event[]> {
  const house = createHouse([
    decided([{ id: 'a', operation: 'places.find', args: { q: 'Kyoto' } }]),
    decided([{ id: 'b', operation: 'weather.now', args: { city: 'Kyoto' } }]),
    decided([{ operation: 'answer', args: { text: 'Sun', achieved: true } }]),
  ]);
  const run = await house.start('Tell the weather of Kyoto');
  await house.drive(run);
  return house.parts.journal.read(run);
}

/** Each tells a story in which facts happen that the others do not have. */
const STORIES: Record<string, () => Promise<Event[]>> = {
  /** Marks stand where the secret was, in what was asked, sent, given back and answered. */
  async 'with-a-secret'() {
    const secret = 'hunter2-hunter2';
    const house = createHouse(
      [
        decided([
          { id: 'a', operation: 'places.find', args: { q: secret } },
          { id: 'm', operation: 'mail.send', args: { text: 'It is ${a.city}.', like: `[secret:${secret}` } },
        ]),
        decided([{ operation: 'answer', args: { text: 'Sent: ${a.city}', achieved: true } }]),
      ],
      { secrets: [secret], storeKey: () => 'a key' },
    );
    const run = await house.start(`Mail ${secret} to me.`);
    await house.drive(run);
    await answerQuestion({ run, question: 'q1', answer: 'approve', by: 'u1' }, house.parts);
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  async 'revised-and-rated'() {
    const house = createHouse([
      { kind: 'failed', failure: { kind: 'model_error', message: 'busy', retryable: true }, usage },
      decided([
        { id: 'a', operation: 'places.find', args: { q: 'tea' } },
        { id: 'b', operation: 'weather.now', args: { city: '${nobody.city}' } },
      ]),
      decided([
        { id: 'a', operation: 'places.find', args: { q: 'tea' } },
        { id: 'c', operation: 'weather.closed', args: { city: '${a.city}' } },
        { id: 'g', operation: 'archive.read' },
      ]),
      decided(
        [
          {
            operation: 'reflect',
            args: { status: 'partial', evaluation: 'it is closed', revision_needed: true },
          },
          {
            operation: 'plan.revise',
            args: {
              reason: 'another line is open',
              replace: [{ id: 'c', operation: 'weather.now', args: { city: '${a.city}' } }],
            },
          },
        ],
        'another line',
      ),
      answered,
    ]);
    const run = await house.start('How is the weather where the tea is?');
    await house.drive(run);
    await rateRun({ run, rating: 4, comment: 'right, but slow', by: 'u1' }, house.parts);
    return house.parts.journal.read(run);
  },
  async 'asked-approved-and-in-doubt'() {
    const house = createHouse([
      decided([{ operation: 'ask', args: { question: '何通送りますか?', options: ['一通', '二通'] } }]),
      decided([
        { id: 'm', operation: 'mail.send', args: { text: 'こんにちは' } },
        { id: 's', operation: 'shop.order' },
        { id: 'p', operation: 'post.put' },
      ]),
      answered,
    ]);
    const run = await house.start('手紙を送って');
    for (const [question, answer] of [
      ['q1', '二通'],
      ['q2', 'approve'],
      ['q3', 'happened'],
    ] as const) {
      await house.drive(run);
      await answerQuestion({ run, question, answer, by: 'u1' }, house.parts);
    }
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  async 'exhausted-and-reopened'() {
    const house = createHouse([decided([{ id: 'a', operation: 'places.find', args: { q: 'x' } }]), answered]);
    const weigh = async () => ({ tokens: 300 });
    const mind = { ...house.parts.mind, weigh };
    const run = await house.start('Find x', { limits: { ...SETTINGS.limits, tokens: 400 } });
    await house.drive(run, { mind });
    await addBudget({ run, tokens: 1_000, by: 'u1' }, house.parts);
    await house.drive(run, { mind });
    return house.parts.journal.read(run);
  },
  async 'steered-and-expired'() {
    const house = createHouse([
      decided([{ operation: 'ask', args: { question: 'Which one?' } }]),
      decided([{ id: 'm', operation: 'mail.send', args: { text: 'hello' } }]),
      answered,
    ]);
    const run = await house.start('Send one', {
      approval: 'plan',
      questions: { expireAfter: 60_000, whenExpired: 'decline' },
    });
    await house.drive(run);
    await addNote({ run, text: 'the short one', by: 'u1' }, house.parts);
    await pauseRun({ run, reason: 'lunch', by: 'u1' }, house.parts);
    await house.drive(run);
    await continueRun({ run, by: 'u1' }, house.parts);
    await (house.parts.clock as StepClock).advance(120_000);
    await house.drive(run);
    for (const question of ['q2', 'q3']) {
      const events = await house.parts.journal.read(run);
      if (fold(events)?.questions.get(question)?.answer !== undefined) continue;
      if (fold(events)?.questions.has(question) !== true) continue;
      await answerQuestion({ run, question, answer: 'approve', by: 'u1' }, house.parts);
      await house.drive(run);
    }
    return house.parts.journal.read(run);
  },
  async 'held-and-given-up'() {
    const house = createHouse([
      decided([{ id: 'd', operation: 'desk.book', args: { day: 'Friday' } }]),
      answered,
    ]);
    const run = await house.start('Book a table', { questions: { whenExpired: 'decline', hold: 60_000 } });
    await house.drive(run);
    await answerQuestion({ run, question: 'q1', answer: { name: 'Aki' }, by: 'u1' }, house.parts);
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  async 'service-interrupted'() {
    const house = createHouse([decided([{ id: 'r', operation: 'store.restock' }]), answered]);
    const run = await house.start('Restock', { task: { ...SETTINGS.task, restarts: 20 } });
    await house.drive(run);
    await answerQuestion({ run, question: 'q1', answer: 'again_after', by: 'u1' }, house.parts);
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  /** The tool says what it would do, the user chooses, and approves it for the whole run. */
  async 'previewed-and-approved-for-the-run'() {
    const house = createHouse([
      decided([
        { id: 'p', operation: 'parcel.drop', args: { to: 'Aki' } },
        { id: 'q', operation: 'parcel.drop', args: { number: 2 } },
      ]),
      answered,
    ]);
    const run = await house.start('Drop both parcels');
    for (const [question, answer] of [
      ['q1', 1],
      ['q2', 'approve_for_run'],
    ] as const) {
      await house.drive(run);
      await answerQuestion({ run, question, answer, by: 'u1' }, house.parts);
    }
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  /** The user answers in another language than that of the goal, and the run goes on in it. */
  async 'answered-in-another-language'() {
    const house = createHouse([
      decided([{ id: 'p', operation: 'parcel.drop', args: { to: 'Aki' } }]),
      answered,
    ]);
    const run = await house.start('Aki に荷物を出して');
    await house.drive(run);
    await answerQuestion({ run, question: 'q1', answer: 1, by: 'u1', language: 'en' }, house.parts);
    await house.drive(run);
    await answerQuestion({ run, question: 'q2', answer: 'approve', by: 'u1' }, house.parts);
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  /** A run that was told notes, wrote one, and had files: a text, and a picture that the model was shown. */
  async 'with-memory-and-attachments'() {
    return openedWith(
      [
        decided([
          { id: 'r', operation: 'attachment.read', args: { name: 'list.csv' } },
          { id: 'p', operation: 'attachment.read', args: { name: 'pixel.png' } },
          { id: 'w', operation: 'memory.write', args: { name: 'list', text: '${r.text}' } },
        ]),
        answered,
      ],
      async ({ dandori, folder: place }) => {
        mkdirSync(join(place, '.dandori/memory'), { recursive: true });
        writeFileSync(join(place, '.dandori/memory/tone.md'), 'Answer in one sentence.\n');
        const attachments = [
          { name: 'list.csv', data: 'name,city\nHana,Kyoto\n' },
          { name: 'pixel.png', data: Buffer.from(PIXEL, 'base64') },
        ];
        const run = dandori.run('Remember the list', { attachments });
        await run.report();
        for (const { id } of await run.questions()) await run.approve(id);
        await run.report();
        return Array.fromAsync(run.events());
      },
    );
  },
  async 'with-a-sub-goal'() {
    return (await subGoalStory()).parent;
  },
  async 'with-a-sub-goal--a'() {
    return (await subGoalStory()).child;
  },
  async cancelled() {
    const house = createHouse([decided([{ id: 'm', operation: 'mail.send' }])]);
    const run = await house.start('Send it');
    await house.drive(run);
    await cancelRun({ run, reason: 'not today', by: 'u1' }, house.parts);
    await house.drive(run);
    return house.parts.journal.read(run);
  },
  'appends-as-lines': stepByStep,
  /** The same with short events: `{"task_started": {"task": "t1"}}`. */
  'events-in-short': stepByStep,
  async 'steps-and-forked'() {
    const house = createHouse([
      decided([
        {
          operation: 'plan.propose',
          args: {
            objective: 'the weather',
            success_criteria: ['the sky is told'],
            steps: [
              {
                id: 's1',
                description: 'find',
                tasks: [{ id: 'a', operation: 'places.find', args: { q: 'x' } }],
              },
              { id: 's2', description: 'tell', after: ['s1'], complexity: 'low' },
            ],
          },
        },
      ]),
      ...[1, 2].flatMap(() => [
        decided([{ id: 'b', operation: 'weather.now', args: { city: '${a.city}' } }]),
        decided([
          {
            operation: 'answer',
            args: { text: 'Sun: ${b.sky}', achieved: true, criteria: [{ met: true, because: 'sun' }] },
          },
        ]),
      ]),
    ]);
    const run = await house.start('Tell the weather', { mode: 'hierarchical' });
    await house.drive(run);
    const events = await house.parts.journal.read(run);
    const at = events.find(({ type }) => type === 'task_started')?.seq ?? 1;
    const forked = await forkRun(run, { at }, house.parts);
    await house.drive(forked.run);
    // The run that it comes from has an id of chance, and is not kept.
    const text = JSON.stringify(await house.parts.journal.read(forked.run)).replaceAll(run, 'origin');
    return JSON.parse(text) as Event[];
  },
};

/** As a file has them: the first event, then a line for what was written together. */
function linesOf([first, ...others]: readonly Event[]): string {
  const appends = [...Map.groupBy(others, ({ at }) => at).values()];
  return `${first === undefined ? '' : toLine(first)}${appends.map(toAppendLine).join('')}`;
}

const goldenFile = join(import.meta.dirname, 'golden.json');
const golden: Record<string, string[]> = existsSync(goldenFile)
  ? JSON.parse(readFileSync(goldenFile, 'utf8'))
  : {};
const files = createFileBlobs(join(folder, 'blobs'));
mkdirSync(folder, { recursive: true });
for (const [name, tell] of Object.entries(STORIES)) {
  if (existsSync(join(folder, `${name}.jsonl`))) continue;
  const told = await tell();
  const [first] = told;
  const text = JSON.stringify(told)
    .replaceAll(first?.run ?? '', name)
    .replaceAll(/process \d+ on [\w.-]+/g, 'process 1 on somewhere');
  const events = JSON.parse(text) as Event[];
  const state = fold(events);
  if (state === undefined) throw new Error(`${name} has no events.`);
  writeFileSync(join(folder, `${name}.jsonl`), linesOf(events), { mode: 0o600 });
  writeFileSync(join(folder, `${name}.report.json`), `${JSON.stringify(report(state), null, 2)}\n`);
  golden[`${version}/${name}`] = digestsOf(events);
  for (const event of events) {
    for (const blob of blobsOf(event)) await files.put([await blobs.get(blob)]);
  }
  console.log(`${name}: ${events.length} events, ${state.end?.outcome}`);
}
writeFileSync(goldenFile, `${JSON.stringify(golden, null, 1)}\n`);
