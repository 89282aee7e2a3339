import * as z from 'zod';
import type { GivenAttachment } from '../commands/index.ts';
import { DandoriError, messageOf } from '../model/error.ts';
import type { Event, Live } from '../model/event.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { approvalPolicy, language, mode } from '../model/settings.ts';
import { nearest } from '../model/text.ts';
import type { Report } from '../views/report.ts';
import { type OnQuestion, RunError } from './run.ts';
import type { StartOptions } from './start-runs.ts';

export interface RunOptions
  extends Omit<StartOptions, 'run' | 'isStricterOnly' | 'onStart' | 'output' | 'attachments'> {
  /** What the answer must be: a zod schema or a JSON Schema. */
  readonly output?: z.ZodType | JsonObject;
  /** Files that belong to the goal: their paths, or their names and contents. */
  readonly attachments?: readonly (string | GivenAttachment)[] | undefined;
  /** The iteration also yields messages that are never journaled: text while it is written, and progress. */
  readonly live?: boolean;
  /** Cancels the run when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the `onQuestion` of `openDandori`. */
  readonly onQuestion?: OnQuestion;
}

/** The type of `run.output()`. */
export type OutputOf<Options> = Options extends { readonly output: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : Json
  : string;

/** What iterating over a run yields. */
export type YieldedOf<Options> = Options extends { readonly live: true } ? Event | Live : Event;

const OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  output: true,
  live: true,
  signal: true,
  onQuestion: true,
  mode: true,
  userId: true,
  attachments: true,
  tasks: true,
  approval: true,
  isValidOnly: true,
  key: true,
  language: true,
  isLanguageChosen: true,
};
/** What other libraries call these options, and what they set per call and Dandori when it is opened. */
const FOREIGN: Readonly<Record<string, string>> = {
  schema: 'The option is called output.',
  outputSchema: 'The option is called output.',
  abortSignal: 'The option is called signal.',
  plan: 'Pass the tasks of a plan as tasks: (await readPlanFile(file)).tasks.',
  ...Object.fromEntries(
    ['model', 'tools', 'servers', 'instructions', 'limits', 'memory'].map((key) => [
      key,
      `Pass ${key} to openDandori.`,
    ]),
  ),
  system: 'Pass it to openDandori as instructions.',
  maxSteps: 'Pass limits: { max_steps } to openDandori.',
  maxTurns: 'Pass limits: { max_steps } to openDandori.',
};

/** Refuses what a program without types passes by mistake. An option that is ignored would go unnoticed. */
export function checkRun(goal: unknown, options: unknown): void {
  if (typeof goal !== 'string')
    throw new DandoriError('goal-invalid', 'The goal must be a text.', {
      fix: "Write dandori.run('The goal', { … }). Chats are conversations: dandori.conversation().",
    });
  if (options === undefined) return;
  if (!isObject(options)) throw new DandoriError('usage', 'The options of a run must be an object.');
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(OPTIONS, key));
  if (unknown !== undefined) {
    const near = nearest(unknown, Object.keys(OPTIONS));
    const known = near ?? Object.keys(OPTIONS).join(', ');
    throw new DandoriError('usage', `Unknown option "${unknown}" of dandori.run.`, {
      fix: FOREIGN[unknown] ?? (near === undefined ? `Known here: ${known}.` : `Did you mean ${near}?`),
    });
  }
  checkValues(options);
  const { output, attachments = [] } = options;
  if (!Array.isArray(attachments) || !attachments.every(isAttachment))
    throw new DandoriError('usage', 'The attachments are not a list of files.', {
      fix: "Write attachments: ['list.csv'], or [{ name: 'list.csv', data: text }].",
    });
  const isSchema = isObject(output) && !('_def' in output) && !Object.values(output).some(isZod);
  if (output === undefined || output instanceof z.ZodType || isSchema) return;
  throw new DandoriError('usage', 'The output is neither a schema of zod 4 nor a JSON Schema.', {
    fix: 'Write output: z.object({ … }) with zod 4 or newer.',
  });
}

/** The options that take one of a few words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  mode: mode.options,
  approval: approvalPolicy.options,
  language: language.options,
};

function checkValues({ signal, tasks, ...options }: Record<string, unknown>): void {
  for (const [name, words] of Object.entries(WORDS)) {
    const given = options[name];
    if (given === undefined || words.includes(given as string)) continue;
    const near = typeof given === 'string' ? nearest(given, words) : undefined;
    throw new DandoriError('usage', `The ${name} of a run can't be "${String(given)}".`, {
      fix: near === undefined ? `Choose from ${words.join(', ')}.` : `Did you mean ${near}?`,
    });
  }
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new DandoriError('usage', 'The signal of a run must be an AbortSignal.', {
      fix: 'Write signal: controller.signal.',
    });
  if (tasks !== undefined && !Array.isArray(tasks))
    throw new DandoriError('usage', 'The tasks of a run must be a list.', {
      fix: "Write tasks: [{ id: 't1', operation: 'shop.price', args: {} }], or (await readPlanFile(file)).tasks.",
    });
}

function isAttachment(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    (isObject(value) && typeof value.name === 'string' && value.data !== undefined)
  );
}

function isZod(value: unknown): boolean {
  return isObject(value) && '_def' in value;
}

/** What the model writes is the input of a zod schema, which may transform it. */
export function outputSchema(output: RunOptions['output']): JsonObject | undefined {
  if (!(output instanceof z.ZodType)) return output;
  try {
    return z.toJSONSchema(output, {
      io: 'input',
      unrepresentable: ({ zodSchema }) =>
        zodSchema._zod.def.type === 'bigint' ? { type: 'integer' } : 'throw',
    }) as JsonObject;
  } catch (cause) {
    throw new DandoriError('usage', `The output cannot be written as JSON Schema: ${messageOf(cause)}`, {
      fix: 'Use types that JSON has, such as z.iso.datetime() for a date.',
      cause,
    });
  }
}

export async function readOutput(report: Report, output: RunOptions['output']): Promise<unknown> {
  if (!(output instanceof z.ZodType)) return output === undefined ? report.answer : report.output;
  const read = await output.safeParseAsync(report.output);
  if (read.success) return read.data;
  // A rule that JSON Schema cannot express, such as a refinement.
  throw new RunError('run-failed', `The output does not fit: ${z.prettifyError(read.error)}`, {
    fix: 'Express the rule in the schema, or check the output yourself.',
    report,
  });
}
