import type { Client } from '../../src/client/client.ts';
import type { Task } from '../../src/model/task.ts';

/** Work for the cluster, and the effects that it must have, each once. */
export interface Job {
  readonly run: string;
  readonly conversation?: string;
  readonly effects: readonly string[];
  /** The name of the effect of a task. */
  nameOf(task: string): string;
}

/** Milliseconds before and after an effect, so that kills meet calls at every stage. */
const PACE = { before: 15, behind: 15 };

/** Reads lead to writes. Nothing refers to the result of a write, so that the answer "it happened" changes nothing. */
export function tasksOf(number: number): Task[] {
  const action = (id: string, tool: string, after?: string, from?: string): Task => ({
    id,
    operation: `effects.${tool}`,
    args: { name: `${number}-${id}`, ...PACE, ...(from !== undefined && { from }) },
    ...(after !== undefined && { after: [after] }),
  });
  return [
    action('a', 'look'),
    action('b', 'send', undefined, '${a.name}'),
    action('c', 'put', 'b'),
    { id: 'k', operation: 'calc.evaluate', args: { expression: `${number} + 1` }, after: ['c'] },
    action('d', 'look', 'k'),
    action('e', 'send', undefined, '${d.name}'),
    action('f', 'drop', 'e'),
    action('g', 'put', 'f'),
    action('h', 'send', 'g'),
  ];
}

const EFFECTS = ['b', 'c', 'e', 'f', 'g', 'h'];

export const effectsOf = (number: number) => EFFECTS.map((id) => `${number}-${id}`);

const KINDS = ['plan', 'service', 'conversation', 'asking'] as const;

/** Starts one of the four kinds of work, each in its turn. */
export async function startJob(number: number, client: Client): Promise<Job> {
  const kind = KINDS[number % KINDS.length] ?? 'plan';
  const nameOf = (task: string) => `${number}-${task}`;
  const effects = effectsOf(number);
  const key = `job ${number}`;
  switch (kind) {
    case 'plan':
      return { run: await client.start(key, { tasks: tasksOf(number), key }), effects, nameOf };
    case 'asking': {
      const asking = { tasks: tasksOf(number), approval: 'destructive', key } as const;
      return { run: await client.start(key, asking), effects, nameOf };
    }
    case 'conversation': {
      const { conversation, run } = await client.conversations.begin(goalOf(number), { key });
      return { run, conversation, effects, nameOf };
    }
    case 'service': {
      const names = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `${number}-${name}`);
      const [first, second] = [names.slice(0, 3), names.slice(3)];
      const tasks: Task[] = [
        { id: 'restock', operation: 'work.restock', args: { names: first } },
        { id: 'deliver', operation: 'work.deliver', args: { names: second } },
      ];
      return { run: await client.start(key, { tasks, key }), effects: names, nameOf };
    }
  }
}

/** What a model is asked to do. It answers with the tasks of this number. */
export const goalOf = (number: number) => `Count number ${number} to eight.`;

export function numberIn(prompt: string): number {
  return Number(/Count number (\d+) to eight/.exec(prompt)?.[1] ?? 0);
}
