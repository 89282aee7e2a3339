import { describe, expect, it } from 'vitest';
import { openPlace } from './command.ts';

const CALC = 'mcpServers: {calc: {shipped: calc}}\n';

describe('a reader that goes away', () => {
  it('loses neither the run nor its exit code, and prints no stack trace', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', CALC);
    const running = place.begin('run', '1 + 2');
    running.child.stderr?.destroy();
    expect(await running.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('3') });

    for (const args of [['show', 'last'], ['log', 'last', '--follow'], ['tools']]) {
      const reading = place.begin(...args);
      reading.child.stdout?.destroy();
      expect(await reading.finished, args.join(' ')).toMatchObject({
        code: 0,
        stderr: expect.not.stringContaining(' at '),
      });
    }
  });

  it('of a run in progress ends only the output', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', `${CALC}execution: {approval: always}\n`);
    expect((await place.dandori('run', '1 + 2', '--json')).code).toBe(3);
    const following = place.begin('log', 'last', '--follow');
    following.child.stdout?.destroy();
    expect((await following.finished).code).toBe(0);
  });
});
