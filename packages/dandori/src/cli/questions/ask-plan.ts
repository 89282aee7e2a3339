import { isCancel, text } from '@clack/prompts';
import type { RunClient } from '../../app/index.ts';
import { DandoriError } from '../../model/error.ts';
import type { Question } from '../../model/question.ts';
import { questionIn } from '../../views/texts/question-text.ts';
import { printable } from '../style.ts';
import type { Texts } from '../texts.ts';
import { editorOf, editPlan } from './edit-plan.ts';
import { choose, dropEarlyKeys, yesOrNo } from './prompts.ts';
import { contextLines, untilLines } from './question.ts';

export interface PlanAsking {
  readonly dandori: RunClient;
  readonly run: string;
  readonly goal: string;
  readonly texts: Texts;
  readonly by?: string | undefined;
  readonly signal: AbortSignal;
}

/** Asks the user about a plan. Returns false if the user leaves the question open. */
export async function askAboutPlan(question: Question, asking: PlanAsking): Promise<boolean> {
  const { dandori, run, texts, by, signal } = asking;
  for (const line of [...contextLines(question, texts), ...untilLines(question, texts)])
    process.stderr.write(`${line}\n`);
  await dropEarlyKeys();
  const items = (['approve', 'reject', 'edit'] as const).map((value) => ({
    value,
    label: texts.plans[value],
  }));
  for (;;) {
    const taken = await choose(
      { message: printable(questionIn(question, texts.language).text), texts, signal },
      items,
    );
    if (taken === undefined) return false;
    if (taken === 'approve') {
      await dandori.approve(run, question.id, { by });
      return true;
    }
    if (taken === 'reject') {
      const reason = await text({ message: texts.plans.reason, output: process.stderr, signal });
      if (isCancel(reason)) return false;
      await dandori.reject(run, question.id, { by, reason: reason?.trim() || undefined });
      return true;
    }
    if (await edited(question, asking)) return true;
  }
}

async function edited(
  question: Question,
  { dandori, run, goal, texts, by, signal }: PlanAsking,
): Promise<boolean> {
  try {
    const again = async () => (await yesOrNo({ message: texts.plans.again, texts, signal })) === true;
    const editor = editorOf(process.env);
    return (await editPlan({ dandori, run, goal, question, texts, by, again, editor })) === 'approved';
  } catch (error) {
    // Without an editor, the user can still approve or reject.
    if (!(error instanceof DandoriError && error.code === 'usage')) throw error;
    process.stderr.write(`${printable([error.message, error.fix].join(' '))}\n`);
    return false;
  }
}
