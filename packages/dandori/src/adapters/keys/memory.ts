import type { Keys } from '../../ports/keys.ts';

export function createMemoryKeys(): Keys {
  const held = new Map<string, string>();
  return {
    async hold(name, value) {
      const first = held.get(name) ?? value;
      held.set(name, first);
      return first;
    },
  };
}
