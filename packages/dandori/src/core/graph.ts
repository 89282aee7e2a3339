/** Edges from a task to what it must wait for. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** One cycle, each id waiting for the next and the last for the first; undefined where there is none. */
export function findCycle(graph: Graph): string[] | undefined {
  const finished = new Set<string>();
  for (const root of graph.keys()) {
    const cycle = finished.has(root) ? undefined : cycleFrom(root, graph, finished);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Depth first with a stack of our own: a chain of 100,000 tasks must not overflow the machine's. */
function cycleFrom(root: string, graph: Graph, finished: Set<string>): string[] | undefined {
  const path: { id: string; next: number }[] = [{ id: root, next: 0 }];
  const onPath = new Set([root]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const target = graph.get(top.id)?.[top.next++];
    if (target === undefined) {
      finished.add(top.id);
      onPath.delete(top.id);
      path.pop();
    } else if (onPath.has(target)) {
      return path.slice(path.findIndex((step) => step.id === target)).map((step) => step.id);
    } else if (graph.has(target) && !finished.has(target)) {
      path.push({ id: target, next: 0 });
      onPath.add(target);
    }
  }
  return undefined;
}

/**
 * The ids in written order, except that what a task needs comes before it. Only for graphs without a cycle.
 * Forward references are rare, so this is nearly always the written order itself.
 */
export function executionOrder(graph: Graph): string[] {
  const order: string[] = [];
  const placed = new Set<string>();
  for (const root of graph.keys()) {
    const path = placed.has(root) ? [] : [{ id: root, next: 0 }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = graph.get(top.id)?.[top.next++];
      if (target === undefined) {
        path.pop();
        if (!placed.has(top.id)) order.push(top.id);
        placed.add(top.id);
      } else if (graph.has(target) && !placed.has(target)) path.push({ id: target, next: 0 });
    }
  }
  return order;
}
