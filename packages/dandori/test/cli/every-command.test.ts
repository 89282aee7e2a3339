import { describe, expect, it } from 'vitest';
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
  ['history', 'last', '--json'],
  ['replay', 'last', '--json'],
  ['diff', 'last', 'last', '--json'],
  ['lift', 'last'],
  ['record', 'last'],
  ['questions', '--json'],
  ['doctor', '--json'],
  ['stats', '--json'],
  ['tools', '--json'],
  ['prune', '--older-than', '1d', '--dry-run', '--json'],
  ['resume', 'last'],
  ['answer', 'last', '1'],
  ['approve', 'last'],
  ['reject', 'last'],
  ['tell', 'last', 'more'],
  ['pause', 'last'],
  ['cancel', 'last'],
];

/** They write, each time something else. */
const WRITING = [
  ['rate', 'last', 'good'],
  ['fork', 'last', '--at', '2', '--no-run'],
  ['token', '--json'],
  ['init', '--force'],
];

describe('a process of its own', () => {
  it('says what the shared process of the tests says, ends as it does, and ends by itself', async () => {
    await using place = await openPlace();
    const config = { mcpServers: {}, services: [service('cli/fixtures/desk.ts')] };
    await place.write('dandori.yaml', JSON.stringify(config));
    await place.write('plan.json', JSON.stringify(PLAN));
    const { code, signal } = await place.begin('run', '--plan', 'plan.json').finished;
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    for (const args of READING) {
      const alone = await place.begin(...args).finished;
      expect(await place.dandori(...args), args.join(' ')).toEqual(alone);
    }
    for (const args of WRITING) expect((await place.begin(...args).finished).code, args.join(' ')).toBe(0);
  });
});
