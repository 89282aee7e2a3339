/** A process of the simulation. When it dies its code may run on, but nothing of it reaches the world any more. */
export interface SimulatedProcess {
  readonly name: string;
  readonly isAlive: boolean;
  die(): void;
  onDeath(told: () => void): void;
  /** What comes back to a dead process comes back to nobody. */
  receive<T>(work: () => Promise<T>): Promise<T>;
}

export function createSimulatedProcess(name: string): SimulatedProcess {
  const mourners: (() => void)[] = [];
  let isAlive = true;
  return {
    name,
    get isAlive() {
      return isAlive;
    },
    die() {
      if (!isAlive) return;
      isAlive = false;
      for (const told of mourners) told();
    },
    onDeath: (told) => void mourners.push(told),
    receive: (work) =>
      new Promise((resolve, reject) => {
        if (!isAlive) return;
        work().then(
          (value) => isAlive && resolve(value),
          (error) => isAlive && reject(error),
        );
      }),
  };
}
