import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunClient } from '../../app/run-client.ts';
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
  /** Whether to open it once more, after what is wrong has been shown. */
  readonly again: () => Promise<boolean>;
}

/** `unchanged`: they left it as it was. `invalid`: it does not compile, and they gave it up. */
export type Edited = 'approved' | 'unchanged' | 'invalid';

/** Lets the user edit a plan that waits, until it is right. */
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

/** What is wrong with it, with the lines; undefined where it was accepted. */
async function approveAs(text: string, editing: PlanEditing): Promise<string | undefined> {
  try {
    await approveWith(parsePlan(text, 'plan.yaml'), editing);
    return undefined;
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'plan-invalid') return printable(error.message);
    throw error;
  }
}

/** Approves a plan from a file in place of the one that was asked about; what is wrong is shown in its own lines. */
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

/** The editor of the user, with its arguments: `vi`, `code -w`, `"C:\Program Files\ed.exe" /w`. */
export function editorOf({ VISUAL, EDITOR }: NodeJS.ProcessEnv): readonly string[] {
  const wanted = VISUAL?.trim() || EDITOR?.trim() || '';
  const words = [...wanted.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)];
  const command = words.map(([whole, double, single]) => double ?? single ?? whole);
  if (command.length > 0) return command;
  throw new DandoriError('usage', 'No editor is set.', { fix: FIX });
}

/** True where the user has left it as one leaves an editor; a code other than 0 says that nothing is meant. */
async function openEditor([program = '', ...args]: readonly string[], file: string): Promise<boolean> {
  // Without a shell: nothing in the name of a file is a command. What it draws must not go into a pipe with the answer.
  const child = spawn(program, [...args, file], { stdio: ['inherit', process.stderr, 'inherit'] });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch (error) {
    const message = `The editor ${program} cannot be started: ${(error as Error).message}`;
    throw new DandoriError('usage', message, { fix: FIX, cause: error });
  }
}
