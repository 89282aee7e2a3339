import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import type { Event } from '../../src/model/event.ts';
import { splitLine, toLine } from '../../src/store/files/line.ts';
import { runCase, startModelServer } from '../../src/testing/index.ts';
import { openPlace, type Place } from './command.ts';

const CALC = { mcpServers: { calc: { shipped: 'calc' } } };
const PLACES = { mcpServers: { places: { shipped: 'places' } } };
const MODEL = { provider: 'openai-compatible', name: 'scripted', timeout: '20s' };

const PLAN = `goal: Add twice
tasks:
  - id: a
    operation: calc.evaluate
    args: { expression: "1 + 2" }
  - id: b
    operation: calc.evaluate
    args: { expression: "\${a.result} * 10" }
`;

async function openHome(config: object = CALC): Promise<Place> {
  const place = await openPlace();
  await place.write('dandori.yaml', JSON.stringify(config));
  await place.write('plan.yaml', PLAN);
  return place;
}

const fileOf = (place: Place, run: string) => join(place.folder, '.dandori/runs', `${run}.jsonl`);

/** Changes an event and its checksum, as an attacker would. */
function forge(file: string, change: (event: Event) => Event): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const run = basename(file, '.jsonl');
  const events = lines
    .flatMap((line) => splitLine(line, run))
    .map((line) => {
      const { crc: _, more: __, ...event } = JSON.parse(line);
      return change({ v: 2, run, ...event } as Event);
    });
  writeFileSync(file, events.map(toLine).join(''));
}

/** A run of a model that plans, fails, looks back, revises and is asked about a write. */
async function revisedRun(place: Place): Promise<string> {
  const seen = {
    id: 'w',
    operation: 'places.get_weather',
    args: { city: 'Nowhere at all' },
    after: ['l'],
  };
  await using server = await startModelServer([
    { actions: [{ id: 'l', operation: 'places.locate_ip', args: { ip: '203.0.113.7' } }, seen] },
    {
      actions: [
        {
          operation: 'reflect',
          args: { status: 'partial', evaluation: 'no such city', revision_needed: true },
        },
        {
          operation: 'plan.revise',
          args: {
            reason: 'take the city of the address',
            replace: [{ ...seen, args: { city: '${l.city}' } }],
          },
        },
      ],
    },
    {
      actions: [
        { operation: 'answer', args: { text: 'In ${l.city}: ${w_2.temperature_c}', achieved: true } },
      ],
    },
  ]);
  await place.write(
    'model.yaml',
    JSON.stringify({ ...PLACES, model: { ...MODEL, base_url: server.url }, execution: { mode: 'planned' } }),
  );
  await using dandori = await openRuntime({
    cwd: place.folder,
    configFile: join(place.folder, 'model.yaml'),
  });
  const report = await dandori.run('How is the weather here?');
  expect(report).toMatchObject({ outcome: 'answered', answer: expect.stringContaining('In Tokyo: ') });
  return report.run;
}

describe('what was', () => {
  it('history shows every proposal, reflection and revision, and the current plan', async () => {
    await using place = await openHome(PLACES);
    await revisedRun(place);
    const { stdout, code } = await place.dandori('show', '--history', 'last');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Plan 1 by the model, accepted\n.*\n\s+w places\.get_weather/);
    expect(stdout).toContain('Reflection (error): partly done · no such city');
    expect(stdout).toContain('Plan 2 by the model, accepted: take the city of the address (changed w)');
    const json = JSON.parse((await place.dandori('show', '--history', 'last', '--json')).stdout);
    expect(json).toMatchObject({
      plan: { version: 2, status: 'completed' },
      tasks: [{ id: 'l' }, { id: 'w_2', args: { city: '${l.city}' } }],
      entries: [{ kind: 'proposed' }, { kind: 'reflected' }, { kind: 'revised', supersedes: ['w'] }],
    });
  });

  it('record makes a test that passes, and that fails where the engine would call something else', async () => {
    await using place = await openHome(PLACES);
    await revisedRun(place);
    const { stdout, stderr, code } = await place.dandori('save-test', 'last');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('!') });
    const file = await place.write('case.yaml', stdout);
    expect(await runCase(file)).toMatchObject({ outcome: 'answered' });
    const other = await place.write('other.yaml', stdout.replaceAll('city: Nowhere at all', 'city: Osaka'));
    expect(await runCase(other)).toMatchObject({ outcome: 'answered' });
    const changed = stdout.replace('city: Nowhere at all', 'city: Osaka');
    await expect(runCase(await place.write('changed.yaml', changed))).rejects.toThrow('Osaka');
  });

  it('replay verifies a run, shows it as it was, and names an event that was changed', async () => {
    await using place = await openHome();
    await place.dandori('run', '--plan', 'plan.yaml');
    const [run = ''] = await place.runs();
    const proved = await place.dandori('verify', 'last');
    expect(proved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Verified \d+ events/) });
    const early = await place.dandori('verify', 'last', '--to', '3');
    expect(early.stdout).toMatch(/At event 3 of \d+/);
    expect(early.stdout).toContain('a calc.evaluate Ready');
    forge(fileOf(place, run), (event) =>
      event.type === 'task_started' && event.data.task === 'b'
        ? { ...event, data: { ...event.data, args: { expression: '4 * 10' } } }
        : event,
    );
    const forged = await place.dandori('verify', 'last');
    expect(forged.code).toBe(1);
    expect(forged.stdout).toMatch(
      /task_started args is \{"expression":"4 \* 10"\} where \{"expression":"3 \* 10"\}/,
    );
    const json = JSON.parse((await place.dandori('verify', 'last', '--json')).stdout);
    expect(json).toMatchObject({ isProved: false, differences: [{ type: 'task_started' }] });
    expect((await place.dandori('verify', 'last', '--to', 'x')).code).toBe(2);
  });

  it('fork continues from an event with an edited plan, and diff shows the differences', async () => {
    await using place = await openHome();
    await place.dandori('run', '--plan', 'plan.yaml');
    const [source = ''] = await place.runs();
    const done = (await place.events(source)).findIndex(({ type }) => type === 'task_succeeded');
    const same = await place.dandori('fork', source, '--at', String(done + 1), '--json');
    expect(JSON.parse(same.stdout)).toMatchObject({
      outcome: 'answered',
      tasks: { b: { result: { result: 30 } } },
      forkedFrom: { run: source, seq: done + 1 },
    });
    const equal = await place.dandori('diff', source, 'last');
    expect(equal).toMatchObject({ code: 0, stdout: expect.stringContaining('No differences.') });
    await place.write('edited.yaml', PLAN.replace('* 10', '* 100'));
    const forked = await place.dandori('fork', source, '--at', String(done + 1), '--plan', 'edited.yaml');
    expect(forked.stderr).toContain(`Forked from ${source} at event ${done + 1}.`);
    expect(forked.stdout).toContain('300');
    await place.write('wrong.yaml', 'goal: x\ntasks:\n  - { id: b, operation: calc.evalute, args: {} }\n');
    const wrong = await place.dandori('fork', source, '--at', String(done + 1), '--plan', 'wrong.yaml');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(
      /wrong\.yaml:3:\d+ error\[unknown-operation\][\s\S]*did you mean[\s\S]*nothing was forked/,
    );
    const differs = await place.dandori('diff', source, 'last');
    expect(differs.code).toBe(1);
    expect(differs.stdout).toContain(`Identical up to event ${done + 1}.`);
    expect(differs.stdout).toMatch(/Call b\n {2}- .*3 \* 10.*\n {2}\+ .*3 \* 100/);
    expect(JSON.parse((await place.dandori('diff', source, 'last', '--json')).stdout)).toMatchObject({
      isSame: false,
      commonSeq: done + 1,
    });
    expect((await place.dandori('verify', 'last')).code).toBe(0);
  });

  it('fork gives another answer to a question, and waits if it is told not to run', async () => {
    await using place = await openHome({ mcpServers: { kitchen: { shipped: 'kitchen' } } });
    const remove = { id: 'd', operation: 'kitchen.remove_item', args: { name: 'carrots', quantity: 1 } };
    await place.write('ask.json', JSON.stringify({ goal: 'にんじんを捨てる', tasks: [remove] }));
    await place.dandori('run', '--plan', 'ask.json', '--json');
    const [source = ''] = await place.runs();
    await place.dandori('answer', source, 'q1', 'reject');
    expect((await place.dandori('resume', source, '--json')).code).toBe(1);
    const parked = await place.dandori('fork', source, '--answer', 'q1=approve', '--no-run');
    expect(parked.stderr).toContain('から分岐しました');
    expect(parked.stderr).toMatch(/再開： .*resume/);
    const resumed = JSON.parse((await place.dandori('resume', 'last', '--json')).stdout);
    expect(resumed.tasks.d).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(await place.dandori('fork', source, '--answer', 'q1')).toMatchObject({ code: 2 });
    expect((await place.dandori('fork', source, '--at', '99')).stderr).toContain('has no event 99');
  });

  it('fork answers a question that is still open, and history says why the user rejected', async () => {
    await using place = await openHome({ mcpServers: { kitchen: { shipped: 'kitchen' } } });
    const remove = { id: 'd', operation: 'kitchen.remove_item', args: { name: 'carrots', quantity: 1 } };
    await place.write('ask.json', JSON.stringify({ goal: 'Remove a carrot', tasks: [remove] }));
    await place.dandori('run', '--plan', 'ask.json', '--approval', 'plan', '--json');
    const [source = ''] = await place.runs();
    const forked = await place.dandori('fork', source, '--answer', 'q1=approve', '--json');
    expect(JSON.parse(forked.stdout)).toMatchObject({ outcome: 'answered', forkedFrom: { run: source } });
    expect(await place.dandori('fork', source, '--answer', 'q9=approve')).toMatchObject({ code: 2 });
    await place.dandori('reject', source, '--reason', 'not today');
    await place.dandori('resume', source, '--json');
    expect((await place.dandori('show', '--history', source)).stdout).toContain('not today');
    const { entries } = JSON.parse((await place.dandori('show', '--history', source, '--json')).stdout);
    expect(entries).toMatchObject([{ isAccepted: false, reason: 'not today' }]);
  });

  it('chat ends with an error if there is no such conversation, although servers were started', async () => {
    await using place = await openHome();
    const { code, stderr } = await place.dandori('chat', '--conversation', 'nope');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('conversation-not-found'),
    });
  });

  it('doctor names the damaged runs, exits with 1, and repairs only a torn tail', async () => {
    await using place = await openHome();
    await place.dandori('run', '--plan', 'plan.yaml');
    const [run = ''] = await place.runs();
    const file = fileOf(place, run);
    const text = readFileSync(file, 'utf8');
    const healthy = await place.dandori('doctor');
    expect(healthy).toMatchObject({ code: 0, stdout: expect.stringContaining('No problems: 1 run,') });
    appendFileSync(file, '{"v":1,"run":');
    const torn = await place.dandori('doctor', run);
    expect(torn.code).toBe(1);
    expect(torn.stdout).toContain(
      `[torn-tail] ${file}: line ${text.split('\n').length}, byte ${Buffer.byteLength(text)}`,
    );
    expect(torn.stderr).toContain('doctor --repair');
    const mended = await place.dandori('doctor', '--repair');
    expect(mended).toMatchObject({ code: 0, stdout: expect.stringContaining('Repaired') });
    expect(readFileSync(file, 'utf8')).toBe(text);
    writeFileSync(file, `${text}rubbish`);
    const left = await place.dandori('doctor', '--repair', '--yes', '--json');
    expect(left.code).toBe(1);
    expect(JSON.parse(left.stdout).findings).toMatchObject([
      { kind: 'trailing-garbage', run, repair: 'ask', fix: expect.any(String) },
    ]);
    expect(readFileSync(file, 'utf8')).toBe(`${text}rubbish`);
    await place.write('dandori.yaml', JSON.stringify({ ...CALC, language: 'ja' }));
    expect((await place.dandori('doctor')).stdout).toContain('問題 1 件');
  });
});
