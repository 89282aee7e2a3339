import { fold } from '../core/apply.ts';
import { DandoriError } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import type { Task } from '../domain/task.ts';
import { tasksAsJournaled } from './command.ts';
import { answerQuestion } from './inbox.ts';
import type { Parts } from './parts.ts';

type Deciding = Pick<Parts, 'journal' | 'clock' | 'secrets' | 'storeKey' | 'toolbox' | 'check' | 'durations'>;

export interface Approval {
  readonly run: string;
  /** Without it the only call or plan that waits for a yes. */
  readonly question?: string | undefined;
  /** Of a plan: what is to be carried out in place of what was proposed. */
  readonly tasks?: readonly Task[] | undefined;
  readonly by?: string | undefined;
}

/** A yes to a call or to a plan. Returns the question that it answers. */
export async function approve({ run, question, tasks, by }: Approval, parts: Deciding): Promise<string> {
  const asked = await approvalAsked(run, question, parts);
  if (tasks !== undefined && asked.kind !== 'plan_approval') {
    throw new DandoriError('usage', `${asked.id} asks about a call, and only a plan can be edited.`, {
      fix: 'Approve or reject the call as it is.',
    });
  }
  const answer = tasks === undefined ? 'approve' : { tasks: tasksAsJournaled(tasks) as unknown as Json };
  await answerQuestion({ run, question: asked.id, answer, by }, parts);
  return asked.id;
}

export interface Rejection extends Omit<Approval, 'tasks'> {
  readonly reason?: string | undefined;
}

/** A no to a call or to a plan; the mind is told the reason. Returns the question that it answers. */
export async function reject({ run, question, reason, by }: Rejection, parts: Deciding): Promise<string> {
  const asked = await approvalAsked(run, question, parts);
  await answerQuestion({ run, question: asked.id, answer: 'reject', comment: reason, by }, parts);
  return asked.id;
}

/** Whether it is open still, `answerQuestion` says. */
async function approvalAsked(
  run: string,
  id: string | undefined,
  { journal }: Pick<Parts, 'journal'>,
): Promise<Pick<Question, 'id' | 'kind'>> {
  const questions = [...(fold(await journal.read(run))?.questions.values() ?? [])];
  if (id !== undefined) {
    const named = questions.find(({ question }) => question.id === id)?.question;
    if (named === undefined || isApproval(named)) return named ?? { id, kind: 'approval' };
    throw new DandoriError('answer-invalid', `${id} does not ask for an approval: ${named.text}`, {
      fix: `Answer it with \`dandori answer ${run} ${id} <answer>\`.`,
    });
  }
  const open = questions.filter(({ question, answer }) => answer === undefined && isApproval(question));
  const [only] = open;
  if (only !== undefined && open.length === 1) return only.question;
  const ids = open.map(({ question }) => question.id).join(', ');
  throw new DandoriError(
    'question-not-found',
    open.length === 0
      ? `Nothing in the run ${run} waits for an approval.`
      : `${open.length} questions of the run ${run} wait for an approval.`,
    { fix: open.length === 0 ? `See it with \`dandori show ${run}\`.` : `Say which: ${ids}.` },
  );
}

function isApproval({ kind }: Question): boolean {
  return kind === 'approval' || kind === 'plan_approval';
}
