/** Callers that wait for a condition. Each change makes them check it again. */
export interface Changes {
  changed(): void;
  /** Resolves with the first value that is not undefined. Checks again after each change. */
  until<T>(look: () => T | undefined): Promise<T>;
  watch(changed: () => void): () => void;
}

export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  const watch = (changed: () => void) => {
    listeners.add(changed);
    return () => void listeners.delete(changed);
  };
  return {
    changed() {
      for (const listener of [...listeners]) listener();
    },
    watch,
    until: (look) =>
      new Promise((resolve, reject) => {
        const wake = () => {
          try {
            const found = look();
            if (found === undefined) return;
            resolve(found);
          } catch (error) {
            reject(error);
          }
          unwatch();
        };
        const unwatch = watch(wake);
        wake();
      }),
  };
}
