import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { openPlace, type Place } from './command.ts';

const MODEL = { provider: 'openai-compatible', name: 'scripted', timeout: '20s' };

async function adaptiveRun(place: Place, goal: string): Promise<void> {
  await using server = await startModelServer([
    { actions: [{ id: 't1', operation: 'places.locate_ip', args: { ip: '203.0.113.7' } }] },
    {
      actions: [
        { id: 't2', operation: 'places.get_weather', args: { city: 'Tokyo' } },
        { id: 't3', operation: 'places.get_weather', args: { city: 'Nowhere at all' } },
      ],
    },
    { actions: [{ operation: 'answer', args: { text: 'It is fine.' } }] },
  ]);
  const model = { ...MODEL, base_url: server.url };
  const shared = { mcpServers: { places: { shipped: 'places' } } };
  await place.write('dandori.yaml', JSON.stringify(shared));
  await place.write('model.yaml', JSON.stringify({ ...shared, model, execution: { mode: 'adaptive' } }));
  await using dandori = await openRuntime({ cwd: place.folder, configFile: 'model.yaml' });
  expect(await dandori.run(goal)).toMatchObject({ answer: 'It is fine.' });
}

describe('dandori lift', () => {
  it('gives a plan that is accepted and repeats the run without a model, and says what it guessed', async () => {
    await using place = await openPlace();
    await adaptiveRun(place, 'How is the weather here?');
    const { stdout, code } = await place.dandori('save-plan', 'last');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Saved from run \d{8}-\S+ \(Done\)\.$/m);
    expect(stdout).toContain('# Left out: t3 places.get_weather (failed: ');
    expect(stdout).toContain('  # city: inferred ${t1.city}; the value was "Tokyo"\n');
    expect(stdout).toContain('city: ${t1.city}\n');
    const before = JSON.parse((await place.dandori('show', 'last', '--json')).stdout);
    await place.write('plan.yaml', stdout);
    expect(await place.dandori('check', 'plan.yaml')).toMatchObject({ code: 0 });
    const again = JSON.parse((await place.dandori('run', '--plan', 'plan.yaml', '--json')).stdout);
    expect(again).toMatchObject({ goal: before.goal, outcome: 'answered' });
    for (const id of ['t1', 't2']) expect(again.tasks[id].result).toEqual(before.tasks[id].result);
  });

  it('prints JSON that is a plan file too, and comments in Japanese for a Japanese goal', async () => {
    await using place = await openPlace();
    await adaptiveRun(place, 'ここの天気は?');
    expect((await place.dandori('save-plan', 'last')).stdout).toContain(
      '# city：${t1.city} と推定。元の値は "Tokyo"',
    );
    const json = await place.dandori('save-plan', 'last', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      goal: 'ここの天気は?',
      tasks: [{ id: 't1' }, { id: 't2' }],
    });
    expect(json.stderr).toContain('除外：t3');
    await place.write('plan.json', json.stdout);
    expect(await place.dandori('check', 'plan.json')).toMatchObject({ code: 0 });
  });

  it('says so if the run made no call that could be saved', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: { places: { shipped: 'places' } } }));
    await place.write(
      'plan.json',
      JSON.stringify([{ operation: 'places.get_weather', args: { city: 'Nowhere at all' } }]),
    );
    await place.dandori('run', '--plan', 'plan.json');
    const { code, stdout, stderr } = await place.dandori('save-plan', 'last');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('has succeeded');
  });

  it('show --plan prints the plan as it was written, whatever happened to it', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: { places: { shipped: 'places' } } }));
    const tasks = [
      { id: 'a', operation: 'places.locate_ip', args: { ip: '203.0.113.7' } },
      { id: 'b', operation: 'places.get_weather', args: { city: 'not ${a.city}' } },
    ];
    await place.write('plan.json', JSON.stringify({ goal: 'look', tasks }));
    await place.dandori('run', '--plan', 'plan.json');
    const yaml = await place.dandori('show', 'last', '--plan');
    expect(yaml.stdout).toContain('city: not ${a.city}\n');
    await place.write('again.yaml', yaml.stdout);
    expect(await place.dandori('check', 'again.yaml')).toMatchObject({ code: 0 });
    const json = await place.dandori('show', 'last', '--plan', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ goal: 'look', tasks });
  });
});
