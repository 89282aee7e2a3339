import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import { type Task, task as taskShape } from '../domain/task.ts';
import type { OpenQuestion, RunState } from './state.ts';

/** What a person has said to a plan that they were asked about. */
export type PlanWord =
  | { readonly kind: 'approved'; readonly question: Question }
  | { readonly kind: 'edited'; readonly question: Question; readonly tasks: readonly Task[] }
  /** The reason is empty where none was given. */
  | { readonly kind: 'rejected'; readonly question: Question; readonly reason: string };

/** Whether a person is asked about the proposed plan and has not answered. */
export function isPlanAsked({ draft, questions }: RunState): boolean {
  const asked = questions.get(draft?.question ?? '');
  return asked !== undefined && asked.answer === undefined;
}

/** The word on the proposed plan; undefined where nobody was asked or has answered. */
export function wordOnDraft({ draft, questions }: RunState): PlanWord | undefined {
  const asked = questions.get(draft?.question ?? '');
  return asked === undefined ? undefined : planWord(asked);
}

export function planWord({ question, answer }: OpenQuestion): PlanWord | undefined {
  if (question.kind !== 'plan_approval' || answer === undefined) return undefined;
  if (answer.declined !== true && answer.value === 'approve') return { kind: 'approved', question };
  const tasks = answer.declined === true ? undefined : editedTasks(answer.value);
  if (tasks !== undefined) return { kind: 'edited', question, tasks };
  return { kind: 'rejected', question, reason: answer.comment ?? '' };
}

/** The tasks of an answer that is a plan in place of the one that was asked about; undefined where it is none. */
export function editedTasks(answer: Json): readonly Task[] | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
  const read = taskShape.array().safeParse(answer.tasks);
  return read.success ? read.data : undefined;
}
