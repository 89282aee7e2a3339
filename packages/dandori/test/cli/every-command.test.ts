import { describe, expect, it } from 'vitest';
import { sample } from '../long.ts';
import { service } from '../program.ts';
import { openPlace } from './command.ts';

const PLAN = {
  goal: 'choose',
  tasks: [{ id: 'w', operation: 'desk.which', args: { id: 1 } }],
};

/** They change nothing, so that a second time is like the first. */
const READING = [
  ['--version'],
  ['--help'],
  ['no-such-command'],
  ['check', 'plan.json', '--json'],
  ['runs', '--json'],
  ['show', 'last', '--json'],
  ['log', 'last', '--json'],
  ['show', 'last', '--history', '--json'],
  ['history', 'last', '--json'],
  ['verify', 'last', '--json'],
  ['diff', 'last', 'last', '--json'],
  ['save-plan', 'last'],
  ['save-test', 'last'],
  ['questions', '--json'],
  ['doctor', 'last', '--json'],
  ['list', '--json'],
  ['stats', '--json'],
  ['tools', '--json'],
  ['prune', '--older-than', '1d', '--dry-run', '--json'],
  ['resume', 'last'],
  ['answer', 'last', '1'],
  ['approve', 'last'],
  ['reject', 'last'],
  ['note', 'last', 'more'],
  ['pause', 'last'],
  ['cancel', 'last'],
];

/** They write, each time something else. */
const WRITING = [
  ['rate', 'last', 'good'],
  ['fork', 'last', '--at', '2', '--no-run'],
  ['token', '--json'],
  ['init', '--force'],
  ['init', '--force', '--yes'],
];

/** Names of older versions, and the names now. */
const RENAMED = [
  [
    ['lift', 'last'],
    ['save-plan', 'last'],
  ],
  [
    ['record', 'last'],
    ['save-test', 'last'],
  ],
  [
    ['tell', 'last', 'more'],
    ['note', 'last', 'more'],
  ],
  [
    ['replay', 'last', '--to', '2'],
    ['verify', 'last', '--to', '2'],
  ],
  [
    ['resume', 'last', '--add-budget', 'steps'],
    ['resume', 'last', '--raise', 'steps'],
  ],
  [
    ['fork', 'last', '--at', '2', '--edit-plan', 'no.yaml'],
    ['fork', 'last', '--at', '2', '--plan', 'no.yaml'],
  ],
  [
    ['rate', 'last', '4', '--by', 'Hanako', '--json'],
    ['rate', 'last', '4', '--user', 'Hanako', '--json'],
  ],
] as const;

describe('a command that was renamed', () => {
  it('still works under its old name, which help does not list', async () => {
    await using place = await openPlace();
    const config = { mcpServers: {}, services: [service('cli/fixtures/desk.ts')] };
    await place.write('dandori.yaml', JSON.stringify(config));
    await place.write('plan.json', JSON.stringify(PLAN));
    expect((await place.dandori('run', '--plan', 'plan.json')).code).toBe(0);
    for (const [old, now] of RENAMED)
      expect(await place.dandori(...old), old.join(' ')).toEqual(await place.dandori(...now));
    const { stdout } = await place.dandori('--help');
    expect(stdout).toMatch(/^Past:\n {2}verify /m);
    const groups = [...stdout.matchAll(/^([A-Z][\w ]+):$/gm)].map(([, group]) => group);
    expect(groups.filter((group) => !['Options', 'Help', 'Examples'].includes(group ?? ''))).toEqual([
      'Run',
      'Watch',
      'Answer',
      'Past',
      'Set up',
      'Serve',
    ]);
    expect(stdout).not.toMatch(/\b(lift|replay|tell)\b/);
  });
});

describe('a process of its own', () => {
  it('says what the shared process of the tests says, ends as it does, and ends by itself', async () => {
    await using place = await openPlace();
    const config = { mcpServers: {}, services: [service('cli/fixtures/desk.ts')] };
    await place.write('dandori.yaml', JSON.stringify(config));
    await place.write('plan.json', JSON.stringify(PLAN));
    const { code, signal } = await place.begin('run', '--plan', 'plan.json').finished;
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    for (const args of sample(READING, 9)) {
      const alone = await place.begin(...args).finished;
      expect(await place.dandori(...args), args.join(' ')).toEqual(alone);
    }
    for (const args of sample(WRITING, 5))
      expect((await place.begin(...args).finished).code, args.join(' ')).toBe(0);
  });
});
