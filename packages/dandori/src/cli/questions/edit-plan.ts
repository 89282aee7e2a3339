import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunClient } from '../../app/index.ts';
import { DandoriError } from '../../model/error.ts';
import type { Question } from '../../model/question.ts';
import { type PlanFile, parsePlan, renderDiagnostics } from '../../plan/read.ts';
import { printable } from '../style.ts';
import type { Texts } from '../texts.ts';
import { planToEdit } from './question.ts';

interface PlanEditing {
  readonly dandori: RunClient;
  readonly run: string;
  readonly goal: string;
  readonly question: Question;
  readonly texts: Texts;
  readonly editor: readonly string[];
  readonly by?: string | undefined;
  /** Whether to open the editor again after the errors were shown. */
  readonly again: () => Promise<boolean>;
}

/** `unchanged`: the user saved no change. `invalid`: the plan does not compile, and the user gave up. */
export type Edited = 'approved' | 'unchanged' | 'invalid';

/** Lets the user edit a waiting plan until it compiles. */
export async function editPlan(editing: PlanEditing): Promise<Edited> {
  const { question, goal, texts, editor, again } = editing;
  const written = planToEdit(question, goal, texts);
  if (written === undefined) return 'unchanged';
  const folder = await mkdtemp(join(tmpdir(), 'dandori-plan-'));
  const file = join(folder, 'plan.yaml');
  try {
    await writeFile(file, written, { mode: 0o600 });
    for (;;) {
      const isMeant = await openEditor(editor, file);
      const text: string = isMeant ? await readFile(file, 'utf8') : written;
      if (text === written) {
        process.stderr.write(`${texts.plans.unchanged}\n`);
        return 'unchanged';
      }
      const problem = await approveAs(text, editing);
      if (problem === undefined) return 'approved';
      process.stderr.write(`${problem}\n`);
      if (!(await again())) return 'invalid';
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The errors with their lines, or undefined if the plan was accepted. */
async function approveAs(text: string, editing: PlanEditing): Promise<string | undefined> {
  try {
    await approveWith(parsePlan(text, 'plan.yaml'), editing);
    return undefined;
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'plan-invalid') return printable(error.message);
    throw error;
  }
}

/** Approves a plan from a file instead of the proposed one. Errors are shown with the lines of that file. */
export async function approveWith(
  plan: PlanFile,
  {
    dandori,
    run,
    question,
    by,
  }: Pick<PlanEditing, 'dandori' | 'run' | 'by'> & { readonly question?: Pick<Question, 'id'> },
): Promise<string> {
  return inItsLines(plan, () => dandori.approve(run, question?.id, { tasks: plan.tasks, by }));
}

export async function inItsLines<T>(plan: PlanFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DandoriError) || error.diagnostics === undefined) throw error;
    const { code, diagnostics, fix } = error;
    throw new DandoriError(code, renderDiagnostics(diagnostics, plan), { diagnostics, ...(fix && { fix }) });
  }
}

const FIX =
  'Set VISUAL or EDITOR to one that waits until the file is closed, such as `EDITOR=nano` or `EDITOR="code -w"`.';

/** The user's editor with its arguments: `vi`, `code -w`, `"C:\Program Files\ed.exe" /w`. */
export function editorOf({ VISUAL, EDITOR }: NodeJS.ProcessEnv): readonly string[] {
  const wanted = VISUAL?.trim() || EDITOR?.trim() || '';
  const words = [...wanted.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)];
  const command = words.map(([whole, double, single]) => double ?? single ?? whole);
  if (command.length > 0) return command;
  throw new DandoriError('usage', 'No editor is set.', { fix: FIX });
}

/** Returns true if the editor exits with code 0. Any other code means that the user discards the edit. */
async function openEditor([program = '', ...args]: readonly string[], file: string): Promise<boolean> {
  // Without a shell, so that nothing in a file name runs as a command. The editor draws on stderr, because
  // stdout may be a pipe for the answer.
  const child = spawn(program, [...args, file], { stdio: ['inherit', process.stderr, 'inherit'] });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch (error) {
    const message = `The editor ${program} cannot be started: ${(error as Error).message}`;
    throw new DandoriError('usage', message, { fix: FIX, cause: error });
  }
}
