import { type PlanAbout, planAbout } from '../core/plan-about.ts';
import { writePlan } from '../core/plan-writer.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Question } from '../domain/question.ts';
import type { Task } from '../domain/task.ts';
import { estimateLines } from './estimate.ts';
import { oneLine } from './style.ts';
import type { Texts } from './texts.ts';

/** Nobody reads more; `show --plan` has all of them. */
const MOST_TASKS = 100;
const WIDTH = 400;

/** What a person should know of a plan before they say yes: what it does, what it changes, what it takes. */
export function planQuestionLines({ context }: Question, texts: Texts): string[] | undefined {
  const read = planAbout.safeParse(context);
  if (!read.success) return undefined;
  const { objective, reasoning, plan, tasks, changes, notes = [], problems = [] } = read.data;
  return [
    ...problems.map((one) => oneLine(texts.plans.problem(one.task, one.message), WIDTH)),
    ...(objective === undefined ? [] : [oneLine(`${texts.objective}: ${objective}`, WIDTH)]),
    ...(reasoning === undefined ? [] : [oneLine(`${texts.why}: ${reasoning}`, WIDTH)]),
    ...tasks.slice(0, MOST_TASKS).flatMap((one) => taskLines(one, changes, texts)),
    ...(tasks.length > MOST_TASKS ? [texts.more(tasks.length - MOST_TASKS)] : []),
    ...(changes?.removed ?? []).map((one) => `- ${callText(one)}`),
    ...estimateLines(plan, texts),
    ...notes.map((note) => oneLine(texts.plans.note(note), WIDTH)),
  ];
}

/** What is written by whoever planned stands in one line each, so that none of it looks like a word of ours. */
function taskLines(one: PlanAbout['tasks'][number], changes: PlanAbout['changes'], texts: Texts): string[] {
  const before = changes?.changed.find(({ id }) => id === one.id);
  const mark = changes === undefined ? '' : markOf(one.id, before, changes);
  const after = one.waitsFor === undefined ? [] : [texts.after(oneLine(one.waitsFor.join(', '), 80))];
  return [
    `${mark}${callText(one)}  (${[texts.plans.effects[one.effect], ...after].join(texts.comma)})`,
    ...(before === undefined ? [] : [`    ${texts.plans.was(callText(before))}`]),
  ];
}

function markOf(id: string, before: Task | undefined, { added }: NonNullable<PlanAbout['changes']>): string {
  if (before !== undefined) return '~ ';
  return added.includes(id) ? '+ ' : '  ';
}

function callText({ id, operation, args }: Task): string {
  return oneLine(`${id} ${operation} ${stringifyJson(args)}`, WIDTH);
}

/** The plan as a file to edit, with what it takes and what each task waits for. */
export function planToEdit({ context }: Question, goal: string, texts: Texts): string | undefined {
  const read = planAbout.safeParse(context);
  if (!read.success) return undefined;
  const { tasks, plan } = read.data;
  const byId = new Map(tasks.map((one) => [one.id, one]));
  return writePlan(
    { goal, tasks },
    {
      head: [...texts.plans.howToEdit, ...estimateLines(plan, texts)],
      of: (id) => {
        const { effect: does = 'write', waitsFor = [] } = byId.get(id) ?? {};
        const after = waitsFor.length === 0 ? [] : [texts.after(waitsFor.join(', '))];
        return [[texts.plans.effects[does], ...after].join(texts.comma)];
      },
    },
  );
}
