import { describe, expect, it } from 'vitest';
import { pictureProtocol, pictureSequence } from '../../src/cli/pictures.ts';
import { service } from '../program.ts';
import { openPlace } from './command.ts';
import { openTerminal } from './terminal.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('pictures in a terminal', () => {
  it.each([
    [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm'],
    [{ TERM_PROGRAM: 'WezTerm' }, 'iterm'],
    [{ TERM: 'xterm-kitty' }, 'kitty'],
    [{ TERM_PROGRAM: 'ghostty' }, 'kitty'],
    [{ TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/tmux' }, undefined],
    [{ TERM: 'xterm-256color' }, undefined],
  ])('are shown only where they can be: %j', (env, protocol) => {
    expect(pictureProtocol(env as NodeJS.ProcessEnv)).toBe(protocol);
  });

  it('are sent in chunks to kitty, and nothing in them can end the sequence', () => {
    const data = 'A'.repeat(10_000);
    const sequence = pictureSequence('kitty', { type: 'image/png', data }) ?? '';
    const chunks = sequence.split('\u001b\\').slice(0, -1);
    expect(chunks.map((chunk) => chunk.length)).toEqual([4096 + 21, 4096 + 7, 1808 + 7]);
    expect(chunks[0]).toContain('_Ga=T,f=100,q=2,m=1;A');
    expect(chunks.at(-1)).toContain('_Gm=0;A');
    expect(pictureSequence('iterm', { type: 'image/png', data: 'AA\u0007\u001b]0;x' })).toBeUndefined();
    expect(pictureSequence('kitty', { type: 'image/jpeg', data })).toBeUndefined();
  });

  it('follow the answer of a run, once, and never as text', async () => {
    await using place = await openPlace();
    const camera = service('cli/fixtures/camera.ts');
    await place.write('dandori.yaml', `mcpServers: {}\nservices: ["${camera}"]\n`);
    await place.write('shot.plan.yaml', 'goal: look\ntasks:\n  - { id: s, operation: camera.shot }\n');
    const env = { ...place.env, TERM_PROGRAM: 'iTerm.app', TERM: 'xterm-256color' };
    await using terminal = openTerminal(place, env, 'run', '--plan', 'shot.plan.yaml');
    expect(await terminal.code).toBe(0);
    expect(terminal.output().split(PNG)).toHaveLength(2);
    expect(terminal.output()).toContain(`\u001b]1337;File=inline=1;preserveAspectRatio=1:${PNG}\u0007`);
  });
});
