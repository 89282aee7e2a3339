import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAttachments } from '../../commands/index.ts';
import { openSource } from '../../documents/source.ts';
import { readTextFile } from '../../documents/text-file.ts';
import { DandoriError } from '../../model/error.ts';
import type { Event } from '../../model/event.ts';
import { isObject, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { ApprovalPolicy, Mode } from '../../model/settings.ts';
import { readPlanFile, renderDiagnostics } from '../../plan/read.ts';
import { foldRun } from '../../run/state/apply.ts';
import { outcomeOf } from '../../views/report.ts';
import { EXIT_USAGE } from '../exit-code.ts';
import { chosenLanguage } from '../language.ts';
import { printError, withPages } from '../print-error.ts';
import { readAmounts } from '../print-report.ts';
import { openSession, type SessionOptions } from '../session.ts';
import { textsFor } from '../texts.ts';
import { findRun } from '../workplace.ts';

export interface StartOptions extends SessionOptions {
  readonly plan?: string;
  readonly watch?: boolean;
  readonly mode?: Mode;
  readonly approval?: ApprovalPolicy;
  /** Files that belong to the goal. */
  readonly attach?: readonly string[];
  /** The file of a JSON Schema. */
  readonly output?: string;
}

const FIX = 'Correct what is shown; `dandori check` compiles a plan and runs nothing.';

export async function runOrWatch(goal: string, options: StartOptions): Promise<number> {
  const { watch: isWatching = false, plan } = options;
  if (!isWatching) return run(goal, options);
  if (plan === undefined)
    throw new DandoriError('usage', '--watch needs a plan file.', { fix: 'Name it: --plan FILE --watch' });
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  const changes = watchFile(plan, stopped.signal);
  try {
    for (;;) {
      const { json = false, config } = options;
      const code = await run(goal, options).catch((error: unknown) => printError(error, { json, config }));
      // Ctrl-C has cancelled the run.
      if (stopped.signal.aborted) return code;
      process.stderr.write(`${textsFor({}).watching(plan)}\n`);
      await changes.next();
      if (stopped.signal.aborted) return 0;
    }
  } finally {
    stop();
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Milliseconds in which several writes count as one change. */
const SETTLED = 100;

/** Watches the folder, because editors replace the file. A change during a run counts once afterwards. */
function watchFile(path: string, signal: AbortSignal): { next(): Promise<void> } {
  let isChanged = false;
  let wake = () => {};
  const name = basename(path);
  watch(dirname(resolve(path)), { signal }, (_, changed) => {
    if (changed !== null && changed !== name) return;
    isChanged = true;
    wake();
  });
  signal.addEventListener('abort', () => wake());
  return {
    async next() {
      while (!isChanged && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (!signal.aborted) await sleep(SETTLED);
      isChanged = false;
    },
  };
}

export async function run(goal: string, options: StartOptions): Promise<number> {
  const plan = options.plan === undefined ? undefined : await readPlanFile(options.plan);
  const wanted =
    goal.trim() === '' ? (plan?.goal ?? (plan && textsFor({}).planGoal(options.plan ?? '')) ?? '') : goal;
  if (wanted === '') {
    throw new DandoriError('goal-invalid', 'There is no goal.', {
      fix: 'Give one: dandori run "100 + 200を計算", or a plan: --plan FILE',
    });
  }
  const output = options.output === undefined ? undefined : await readSchema(options.output);
  const attachments = await readAttachments(options.attach ?? []);
  await using session = await openSession({ ...options, goal: wanted });
  const { dandori } = session;
  let begun: readonly Event[] | undefined;
  try {
    const started = await dandori.start(wanted, {
      mode: options.mode,
      userId: options.user,
      tasks: plan?.tasks,
      isValidOnly: true,
      approval: options.approval,
      language: chosenLanguage(process.env),
      // The goal in a plan file does not show the language of the user who starts it.
      isLanguageChosen: plan !== undefined,
      output,
      attachments,
      onStart: (events) => {
        begun = events;
      },
    });
    return await session.follow(started, begun);
  } catch (error) {
    if (plan === undefined || begun !== undefined || !isInvalidPlan(error)) throw error;
    const { diagnostics = [] } = error;
    const message = renderDiagnostics(diagnostics, plan);
    if (options.json === true)
      process.stdout.write(
        `${stringifyJson({ error: { code: 'plan-invalid', message, fix: FIX, diagnostics } })}\n`,
      );
    process.stderr.write(
      `${withPages(textsFor({ language: dandori.config.language, goal: wanted }).message(message))}\n`,
    );
    return EXIT_USAGE;
  }
}

async function readSchema(file: string): Promise<JsonObject> {
  const rules = {
    name: file,
    code: 'file-unreadable',
    missing: 'file-unreadable',
    maxBytes: 1_000_000,
  } as const;
  const { value, problems } = openSource(await readTextFile(file, rules), file);
  if (problems.length === 0 && isObject(value)) return value as JsonObject;
  throw new DandoriError('file-unreadable', `${file} holds no JSON Schema.`, {
    fix: 'Write a JSON Schema, such as {"type": "object", "properties": {"city": {"type": "string"}}}.',
  });
}

function isInvalidPlan(error: unknown): error is DandoriError {
  return error instanceof DandoriError && error.code === 'plan-invalid';
}

export interface ResumeOptions extends SessionOptions {
  readonly raise?: string | undefined;
}

export async function resume(name: string, { raise, ...options }: ResumeOptions): Promise<number> {
  const amounts = raise === undefined ? undefined : readAmounts(raise);
  await using session = await openSession(options);
  const run = await findRun(name, session.dandori);
  if (amounts !== undefined) await session.dandori.addBudget(run, amounts);
  const past = await session.dandori.events(run);
  if (outcomeOf(foldRun(run, past)) !== 'paused') return await session.follow(run, past);
  await session.dandori.continue(run, { by: options.user });
  return await session.follow(run);
}
