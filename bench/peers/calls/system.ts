import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, type JsonObject, loadConfig, openDandori, type Tool } from 'dandori';
import {
  createFunctionToolbox,
  createStepClock,
  type FunctionTool,
  type ReplyFunction,
} from 'dandori/testing';
import type { Case, CaseTask } from './case.ts';
import { type DandoriWay, dandoriScript, loopScript, nativeName } from './script.ts';
import { TOOLS } from './tools.ts';

/** One who runs cases: which model it would need, and how it asks it. */
export interface System {
  readonly name: string;
  script(given: Case): ReplyFunction;
  /** The answer that it ends with. */
  run(given: Case, url: string): Promise<string>;
}

type Mode = 'adaptive' | 'planned' | 'auto' | 'hierarchical';

/** `isUntrusted`: the tools don't say that what they return is trusted, as most tools of others. */
export function dandori(mode: Mode, way: DandoriWay & { readonly isUntrusted?: boolean }): System {
  const { dialect, plan, isUntrusted = false } = way;
  return {
    name: `Dandori, ${dialect}, ${mode}${plan === 'answer' ? ', answer by Refs' : ''}${isUntrusted ? ', not trusted' : ''}`,
    script: (given) => dandoriScript(given, way),
    run: (given, url) => runDandori(given, { url, mode, dialect, isUntrusted }),
  };
}

async function runDandori(
  given: Case,
  {
    url,
    mode,
    dialect,
    isUntrusted,
  }: { url: string; mode: Mode; dialect: DandoriWay['dialect']; isUntrusted: boolean },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-calls-'));
  const model = { provider: 'openai-compatible', name: 'scripted', base_url: url, dialect };
  const execution = { max_steps: 100, max_model_calls: 100 };
  try {
    await writeFile(join(folder, 'dandori.yaml'), JSON.stringify({ model, mcpServers: {}, execution }));
    const config = await loadConfig({ cwd: folder, env: {} });
    await using dandori = await openDandori({
      config,
      store: createMemoryStore(),
      toolbox: createFunctionToolbox(createStepClock(), functionTools(given, isUntrusted)),
    });
    const { answer, failure } = await dandori.run(given.goal, { mode }).report();
    return answer ?? failure?.message ?? '';
  } finally {
    await rm(folder, { recursive: true });
  }
}

function functionTools(given: Case, isUntrusted: boolean): Record<string, FunctionTool> {
  return Object.fromEntries(
    toolsOf(given).map(({ name, effect, description, inputSchema, outputSchema, trusted }) => [
      name,
      {
        effect,
        description,
        inputSchema,
        trusted: trusted && !isUntrusted,
        ...(outputSchema && { outputSchema }),
        run: (args) => {
          const { result, error } = taskOf(given, name, args);
          return error === undefined
            ? result
            : { kind: 'failed', failure: { kind: 'tool_error', message: error, retryable: false } };
        },
      } satisfies FunctionTool,
    ]),
  );
}

/** What a peer is given. Each is a file of plain JavaScript beside this one, as its packages are not there for the compiler. */
export interface PeerRun {
  readonly url: string;
  readonly instructions: string;
  readonly goal: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonObject;
    readonly call: (args: JsonObject) => Promise<string>;
  }[];
}

/** All that a bare loop needs to be told. */
const INSTRUCTIONS = 'Reach the goal of the user with the tools, then answer.';

export function peer(name: string, file: string): System {
  return {
    name,
    script: loopScript,
    async run(given, url) {
      const { run } = (await import(`./${file}`)) as { run: (run: PeerRun) => Promise<string> };
      const tools = toolsOf(given).map(({ name: tool, description, inputSchema }) => ({
        name: nativeName(tool),
        description,
        inputSchema,
        call: async (args: JsonObject) => {
          const { result, error } = taskOf(given, tool, args);
          return error === undefined ? JSON.stringify(result) : `Error: ${error}`;
        },
      }));
      return run({ url, instructions: INSTRUCTIONS, goal: given.goal, tools });
    },
  };
}

function toolsOf({ tools = TOOLS }: Case): readonly Tool[] {
  return tools;
}

function taskOf({ tasks }: Case, tool: string, args: JsonObject): CaseTask {
  const written = JSON.stringify(args);
  const task = tasks.find((one) => one.tool === tool && JSON.stringify(one.args) === written);
  if (task === undefined) throw new Error(`unexpected: ${tool} ${written}`);
  return task;
}
