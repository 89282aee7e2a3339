import { describe, expect, it } from 'vitest';
import type { Trouble } from '../../src/store/dispatcher/dispatcher.ts';
import { openRestate } from '../../src/store/postgres/restate.ts';
import { freePort } from '../free-port.ts';

describe('a worker for Restate', () => {
  it('works while Restate is away, and says so once', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const engine = await openRestate('dandori', { ingress: away, admin: away, listen: '127.0.0.1:0' });
    const { Response } = globalThis;
    const troubles: Trouble[] = [];
    const work = engine.work(
      async () => {},
      (trouble) => troubles.push(trouble),
    );
    await work.begin?.();
    await expect.poll(() => troubles).toMatchObject([{ run: undefined, retryIn: 1_000 }]);
    await expect(engine.send([{ run: 'r1', delay: 0 }], undefined as never)).rejects.toThrow();
    // A server of @hono/node-server replaces it unless told otherwise, and then calls of tools fail.
    expect(globalThis.Response).toBe(Response);
    await engine.close();
  });

  it('names the fix if it cannot listen', async () => {
    const options = { ingress: 'http://127.0.0.1:1', admin: 'http://127.0.0.1:1', listen: '192.0.2.1:9080' };
    const engine = await openRestate('dandori', options);
    const begun = engine
      .work(
        async () => {},
        () => {},
      )
      .begin?.();
    await expect(begun).rejects.toMatchObject({
      code: 'config-invalid',
      fix: expect.stringContaining('listen'),
    });
    await engine.close();
  });
});
