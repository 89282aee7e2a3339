import type { Keys } from '../../ports/keys.ts';

export function createMemoryKeys(now: () => number = Date.now): Keys {
  const held = new Map<string, { readonly value: string; readonly at: number }>();
  return {
    async hold(name, value) {
      const first = held.get(name) ?? { value, at: now() };
      held.set(name, first);
      return first.value;
    },
    async *heldBefore(time) {
      for (const [name, { value, at }] of held)
        if (at < time) yield { value, remove: async () => void held.delete(name) };
    },
  };
}
