import type { Thinking, Thought } from '../../../src/mind/mind.ts';
import type { Fact, Purpose } from '../../../src/model/event.ts';
import type { Mode, Settings } from '../../../src/model/settings.ts';
import type { Action } from '../../../src/model/task.ts';
import type { Tool } from '../../../src/model/tool.ts';
import { apply } from '../../../src/run/state/apply.ts';
import type { RunState } from '../../../src/run/state/state.ts';
import { settingsWith } from '../../settings.ts';

export const settings = settingsWith({
  approval: 'destructive',
  concurrency: 8,
  limits: { calls: 20, time: 60_000 },
  task: { timeoutMs: 30_000 },
});

export const tools: ReadonlyMap<string, Tool> = new Map(
  ['weather.now', 'places.find'].map((name) => [
    name,
    {
      name,
      server: name.split('.')[0] ?? '',
      description: `Gives\n  ${name}.`,
      inputSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { q: { type: 'string' } },
      },
      outputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      effect: 'read' as const,
      trusted: false,
    },
  ]),
);

interface StoryOptions {
  readonly mode?: Mode;
  readonly planGiven?: boolean;
  readonly trust?: Settings['trust'];
}

/** A run that is told fact by fact, as the engine would write it. */
export class Story {
  state: RunState;
  #seq = 1;

  constructor(goal = 'Weather in Kyoto?', { mode = 'auto', planGiven = false, trust }: StoryOptions = {}) {
    this.state = apply(undefined, {
      ...this.#envelope(),
      type: 'run_started',
      data: {
        goal,
        settings: { ...settings, mode, ...(trust && { trust }) },
        mind: 'openai/test',
        planGiven,
      },
    });
  }

  add(...facts: Fact[]): this {
    for (const fact of facts) this.state = apply(this.state, { ...this.#envelope(), ...fact });
    return this;
  }

  /** A decision with its tasks, all of them accepted and done. `results` are by id; what is missing fails. */
  decided(
    actions: readonly Action[],
    results: Readonly<Record<string, string>> = {},
    purpose: Purpose = 'act',
  ): this {
    const operations = actions.filter(({ operation }) => !operation.includes('.'));
    const tasks = actions.filter(({ operation }) => operation.includes('.'));
    this.#open(purpose).add({
      type: 'decision_made',
      data: { decision: this.#number, operations, reasoning: 'because', ms: 1 },
    });
    return tasks.length === 0 ? this : this.proposed(tasks).approved(tasks, results);
  }

  proposed(tasks: readonly Action[], by: 'mind' | 'user' = 'mind'): this {
    return this.add({
      type: 'plan_proposed',
      data: { version: this.state.planVersion + 1, by, tasks: [...tasks] },
    });
  }

  approved(tasks: readonly Action[], results: Readonly<Record<string, string>>): this {
    const version = this.state.planVersion + 1;
    this.add({
      type: 'plan_approved',
      data: { version, tasks: tasks.map(({ id }) => ({ id, effect: 'read' })) },
    });
    for (const { id } of tasks) {
      const result = results[id];
      this.add({ type: 'task_started', data: { task: id, attempt: 1, key: id } });
      if (result !== undefined)
        this.add({ type: 'task_succeeded', data: { task: id, attempt: 1, result, ms: 1 } });
      else
        this.add({
          type: 'task_failed',
          data: {
            task: id,
            attempt: 1,
            failure: { kind: 'tool_error', message: 'no </result> there' },
            ms: 1,
          },
        });
    }
    return this;
  }

  failed(thinking: Thinking, purpose: Purpose = 'act'): this {
    if (thinking.kind !== 'failed') throw new Error('this thought did not fail');
    return this.#open(purpose).add({
      type: 'decision_failed',
      data: { decision: this.#number, failure: thinking.failure, ms: 1 },
    });
  }

  started(purpose: Purpose): this {
    return this.#open(purpose);
  }

  thought(more: Partial<Thought> = {}): Thought {
    return {
      purpose: 'act',
      state: this.state,
      tools,
      missing: [],
      resultText: (task) => {
        const result = this.state.tasks.get(task)?.result;
        return result !== undefined && 'value' in result ? String(result.value) : '';
      },
      result: () => undefined,
      signal: new AbortController().signal,
      ...more,
    };
  }

  get #number(): number {
    return this.state.decisions.length + 1;
  }

  #open(purpose: Purpose): this {
    return this.add({ type: 'decision_started', data: { decision: this.#number, purpose } });
  }

  #envelope() {
    return { v: 1 as const, run: 'r1', seq: this.#seq++, at: 0 };
  }
}
