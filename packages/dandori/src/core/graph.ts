/** From a task to what it must wait for. */
export type Graph = ReadonlyMap<string, ReadonlySet<string> | ReadonlyMap<string, unknown>>;

export interface Sorted {
  /**
   * The ids in written order, except that what a task needs comes before it. Forward references are rare, so this is
   * nearly always the written order itself. Not whole where there is a cycle.
   */
  readonly order: string[];
  /** One cycle, each id waiting for the next and the last for the first; undefined where there is none. */
  readonly cycle: string[] | undefined;
}

/** Depth first with a stack of our own: a chain of 100,000 tasks must not overflow the machine's. */
export function sort(graph: Graph): Sorted {
  const order: string[] = [];
  const placed = new Set<string>();
  const path: { id: string; targets: Iterator<string> }[] = [];
  const onPath = new Set<string>();
  const place = (id: string) => {
    placed.add(id);
    order.push(id);
  };
  const enter = (id: string) => {
    path.push({ id, targets: targetsOf(graph, id) });
    onPath.add(id);
  };
  for (const root of graph.keys()) {
    if (placed.has(root)) continue;
    // Nearly always: written behind all that it needs.
    if (isEach(targetsOf(graph, root), placed)) place(root);
    else enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { value: target, done } = top.targets.next();
      if (done === true) {
        path.pop();
        onPath.delete(top.id);
        place(top.id);
      } else if (onPath.has(target)) {
        return { order, cycle: path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id) };
      } else if (!placed.has(target) && graph.has(target)) enter(target);
    }
  }
  return { order, cycle: undefined };
}

function targetsOf(graph: Graph, id: string): IteratorObject<string> {
  return (graph.get(id) ?? new Set<string>()).keys();
}

function isEach(ids: Iterable<string>, among: ReadonlySet<string>): boolean {
  for (const id of ids) if (!among.has(id)) return false;
  return true;
}
