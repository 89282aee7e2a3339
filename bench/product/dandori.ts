import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunOptions, Task } from '../../packages/dandori/src/index.ts';
import { importLibrary } from '../library.ts';
import { countCalls, WORK, work } from './work.ts';

/** Dandori, opened. */
export interface OpenedDandori {
  readonly folder: string;
  run(goal: string): Promise<void>;
  /** Runs a plan that was given. */
  runPlan(tasks: readonly Task[]): Promise<void>;
  /** Runs until a person is needed. */
  park(goal: string): Promise<void>;
  close(): Promise<void>;
}

interface DandoriSetup {
  readonly storage?: 'memory' | 'jsonl';
  readonly dialect?: 'json' | 'tools';
  readonly execution?: object;
  /** The trust policy. Then nothing that the tool returns counts as external content. */
  readonly trust?: 'off' | 'standard';
  /** Of the tool. */
  readonly effect?: 'read' | 'write';
  /** Processes that drive the runs. */
  readonly workers?: number;
}

/** Dandori as a user calls it: a configuration file, a model over HTTP, a tool. Without `port` there is no model. */
export async function dandori(
  port: number | undefined,
  {
    storage = 'memory',
    dialect = 'json',
    execution = {},
    trust,
    effect = 'read',
    workers = 0,
  }: DandoriSetup = {},
): Promise<OpenedDandori> {
  const library = await importLibrary();
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  const model = {
    provider: 'openai-compatible',
    name: 'bench',
    base_url: `http://127.0.0.1:${port}/v1`,
    dialect,
  };
  const file = {
    ...(port !== undefined && { model }),
    mcpServers: {},
    services: workers > 0 ? [join(import.meta.dirname, 'work-service.ts')] : [],
    execution: {
      mode: 'adaptive',
      max_steps: 100_000,
      max_model_calls: 100_000,
      approval: 'never',
      ...execution,
    },
    context: { max_tokens: 10_000_000 },
    ...(trust !== undefined && { trust: { policy: trust } }),
    planning: {
      max_subtasks: 100_000,
      reflection: { enabled: false },
      history: { storage_type: storage, directory: join(folder, 'runs') },
    },
  };
  writeFileSync(join(folder, 'dandori.yaml'), JSON.stringify(file));
  const tool = library.tool({
    description: WORK.description,
    effect,
    trusted: true,
    input: z.object({ ms: z.number(), size: z.number() }),
    run: work,
  });
  const config = await library.loadConfig({ cwd: folder, env: {} });
  const opened = await library.openDandori(
    workers > 0 ? { config, workers } : { config, tools: { work: tool } },
  );
  const runUntil = async (wanted: string, goal: string, options?: RunOptions) => {
    const scripted = workers > 0 ? goal.replace('@@', '@@tool=bench.work;') : goal;
    const { outcome, failure, tasks } = await opened.run(scripted, options).report();
    if (workers > 0) countCalls(Object.keys(tasks).length);
    if (outcome !== wanted) throw new Error(`The run ended ${outcome}: ${JSON.stringify(failure)}`);
  };
  return {
    folder,
    run: (goal) => runUntil('answered', goal),
    runPlan: (tasks) => runUntil('answered', 'go', { tasks, mode: 'planned' }),
    park: (goal) => runUntil('waiting', goal),
    async close() {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
