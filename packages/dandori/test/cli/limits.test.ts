import { describe, expect, it } from 'vitest';
import { readAmounts } from '../../src/cli/print-report.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { IS_LONG } from '../long.ts';
import { openPlace } from './command.ts';

const sum = (id: string, expression = `${id.slice(1)} + 1`) => ({
  actions: [{ id, operation: 'calc.evaluate', args: { expression } }],
});
const answer = (text: string, achieved: boolean) => ({
  actions: [{ id: 'a', operation: 'answer', args: { text, achieved } }],
});

/** Counted like the calls of the model. */
const MORE: [string, string, ReturnType<typeof sum>[]][] = [
  ['steps', 'execution: { mode: adaptive, max_steps: 2 }', [sum('t1'), sum('t2')]],
  ['tasks', 'execution: { mode: adaptive }\nplanning: { max_subtasks: 2 }', [sum('t1'), sum('t2')]],
];

describe('a run that a limit has ended', () => {
  it.each([
    ...(IS_LONG ? MORE : []),
    ['calls', 'execution: { mode: adaptive, max_model_calls: 3 }', [sum('t1'), sum('t2')]],
    [
      'revisions',
      'execution: { mode: planned }\nplanning: { revision: { max_revisions: 0 } }',
      [sum('t1', '1 +')],
    ],
    ['loop', 'execution: { mode: adaptive }', ['t1', 't2', 't3', 't4'].map((id) => sum(id, '1'))],
  ])('goes on by the command that it shows: %s', async (limit, yaml, turns) => {
    await using model = await startModelServer([
      ...turns,
      answer('half', false),
      sum('t8'),
      answer('whole', true),
    ]);
    await using place = await openPlace();
    const head = `model: { provider: openai-compatible, name: scripted, base_url: "${model.url}" }`;
    await place.write('dandori.yaml', `${head}\nmcpServers: { calc: { shipped: calc } }\n${yaml}\n`);
    const ended = await place.dandori('run', 'Count');
    expect(ended).toMatchObject({ code: 5, stdout: 'half\n' });
    const shown = await place.dandori('show', 'last', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ outcome: 'exhausted', limit });
    const [, run = '', amounts = ''] = /dandori resume (\S+) --raise (\S+)/.exec(ended.stderr) ?? [];
    const resumed = await place.dandori('resume', run, '--raise', amounts);
    expect(resumed).toMatchObject({ code: 0, stdout: 'whole\n' });
    expect(readAmounts(amounts)).toHaveProperty(limit === 'loop' ? 'steps' : limit);
  });
});

describe('money that is left', () => {
  it('is shown in cents, without rounding noise', async () => {
    await using model = await startModelServer([
      sum('t1'),
      sum('t2'),
      sum('t3'),
      { ...answer('two', true), expect: 'the plan costs $0.02, and $0.01 are left' },
    ]);
    await using place = await openPlace();
    const head = `model: { provider: openai-compatible, name: scripted, base_url: "${model.url}" }`;
    await place.write(
      'dandori.yaml',
      `${head}\nmcpServers: { calc: { shipped: calc } }\nexecution: { mode: adaptive, max_cost: 0.05 }\neffects: { calc.evaluate: { cost: 0.02 } }\n`,
    );
    const { code, stderr } = await place.dandori('run', 'Count');
    expect(code).toBe(0);
    expect(stderr).toContain('\n  the plan costs $0.02, and $0.01 are left\n');
  });
});
