import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderDiagnostics } from '../config/diagnostics.ts';
import { type PlanFile, parsePlan } from '../config/plan-file.ts';
import type { Dandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import type { Question } from '../domain/question.ts';
import { openEditor } from './editor.ts';
import { planToEdit } from './plan-question.ts';
import { printable } from './style.ts';
import type { Texts } from './texts.ts';

export interface PlanEditing {
  readonly dandori: Dandori;
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
