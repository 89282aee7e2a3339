import { describe, expect, it } from 'vitest';
import { createRequestKeys } from '../../src/live/request-keys.ts';

describe('the keys of requests', () => {
  it('are the same for a repeated request, so that the server runs it once', () => {
    const keys = createRequestKeys();
    const first = keys.keyFor(['milk', { mode: 'auto' }]);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.keyFor(['milk', { mode: 'auto' }])).toBe(first);
  });

  it('differ for another request, and after the request was done', () => {
    const keys = createRequestKeys();
    const first = keys.keyFor('milk');
    expect(keys.keyFor('bread')).not.toBe(first);
    const again = keys.keyFor('milk');
    keys.done();
    expect(keys.keyFor('milk')).not.toBe(again);
  });
});
