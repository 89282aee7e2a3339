import { asText, isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { estimate } from '../../model/plan.ts';
import {
  type CallAbout,
  callAbout,
  type PlanAbout,
  planAbout,
  type Question,
  reversibility,
} from '../../model/question.ts';
import { isStep, type Task } from '../../model/task.ts';
import { clip } from '../../model/text.ts';
import { effect } from '../../model/tool.ts';
import { writePlan } from '../../plan/write.ts';
import { type Field, fieldsOf } from '../../views/form.ts';
import { type AskedQuestion, durationText } from '../../views/report.ts';
import { questionIn } from '../../views/texts/question-text.ts';
import { originText, trustLines } from '../../views/trust.ts';
import { estimateLines } from '../print-report.ts';
import { oneLine, PLAIN, printable, printableLine, type Style } from '../style.ts';
import type { Texts } from '../texts.ts';
import { choiceLines } from './ask.ts';

/** Longer values are cut, with a note that says so. `--json` has the whole value. */
const LONGEST = 2_000;
/** So many of these characters are the end of the value. */
const END = 500;

/** A question as printed text, for when there is no prompt: its context, then the possible answers. */
export function questionLines(asked: AskedQuestion, texts: Texts, style: Style): string[] {
  const question = questionIn(asked, texts.language);
  return [
    `${style.yellow('?')} ${printable(question.text)}`,
    ...contextLines(question, texts, style).map((line) => `    ${line}`),
    ...choiceLines(question.options ?? []).map((line) => `    ${style.bold(printableLine(line))}`),
    ...formLines(question, texts).map((line) => `    ${style.bold(printableLine(line))}`),
    ...termLines(question, texts).map((line) => `    ${style.dim(printableLine(line))}`),
  ];
}

/**
 * The commands that answer it. An expired question takes no answer, so the command resumes the run instead.
 */
export function answerCommands(run: string, question: AskedQuestion, texts: Texts): string[] {
  const { id, kind } = question;
  if (hasExpired(question)) return [texts.resumeWith(run)];
  if (kind !== 'plan_approval') return [answerCommand(run, question, texts)];
  const { howToApprove, howToReject, howToChange } = texts.plans;
  return [howToApprove(run, id), howToReject(run, id), howToChange(run, id)];
}

export function hasExpired({ expiresAt }: AskedQuestion): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}

/** The command with the fields of the form. */
export function answerCommand(run: string, { id, form }: Question, texts: Texts): string {
  const fields = form === undefined ? undefined : fieldsOf(form);
  if (fields === undefined) return texts.howToAnswer(run, id);
  const wanted = fields.filter(({ isRequired }) => isRequired);
  const named = (wanted.length > 0 ? wanted : fields).map(({ name }) => name);
  return texts.howToFillIn(run, id, named);
}

function formLines({ form }: Question, texts: Texts): string[] {
  return (form === undefined ? [] : (fieldsOf(form) ?? [])).map((field) => fieldLine(field, texts));
}

function fieldLine(field: Field, { replies }: Texts): string {
  const { name, label, hint, isRequired, default: fallback } = field;
  const values = valuesOf(field, replies);
  return [
    name,
    ...(label === name ? [] : [label]),
    ...(hint === undefined ? [] : [hint]),
    ...(values === '' ? [] : [values]),
    ...(fallback === undefined ? [] : [replies.default(asText(fallback))]),
    ...(isRequired ? [] : [`(${replies.optional})`]),
  ].join('  ');
}

/** The values that a field accepts. Empty for plain text. */
function valuesOf({ kind, choices, schema }: Field, { flag, number, integer }: Texts['replies']): string {
  if (choices.length > 0) return choices.map(({ value }) => asText(value)).join(' | ');
  if (kind === 'flag') return [true, false].map(flag).join(' | ');
  if (kind !== 'number') return '';
  const { type, minimum, maximum } = schema;
  const isBound = minimum !== undefined || maximum !== undefined;
  const range = isBound ? ` ${minimum ?? ''}…${maximum ?? ''}` : '';
  return `${type === 'integer' ? integer : number}${range}`;
}

/** When the question expires, who may answer it, and which other tasks it blocks. */
function termLines(
  { kind, task, context, blocks, expiresAt, default: fallback, answerers }: AskedQuestion,
  texts: Texts,
): string[] {
  // The tasks of a plan are already listed in the plan, and a question about trust names the planned calls.
  const isListed = kind === 'plan_approval' || (isObject(context) && context.planned !== undefined);
  const others = isListed ? [] : blocks.filter((id) => id !== task);
  return [
    ...(others.length === 0 ? [] : [texts.alsoWaiting(someOf(others, texts))]),
    ...untilLines({ expiresAt, default: fallback }, texts),
    ...(answerers === undefined ? [] : [texts.mayAnswer(answerers.join(', '))]),
  ];
}

/** The time left to answer, and the default that applies afterwards. */
export function untilLines(
  { expiresAt, default: fallback }: Pick<Question, 'expiresAt' | 'default'>,
  texts: Texts,
): string[] {
  const left = expiresAt === undefined ? undefined : expiresAt - Date.now();
  return [
    ...(left === undefined ? [] : [left > 0 ? texts.expiresIn(durationText(left)) : texts.hasExpired]),
    ...(fallback === undefined ? [] : [texts.byDefault(shown(fallback, texts))]),
  ];
}

const MOST_NAMED = 10;

function someOf(ids: readonly string[], { more }: Texts): string {
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return ids.length <= MOST_NAMED ? named : `${named} ${more(ids.length - MOST_NAMED)}`;
}

/**
 * What the user needs to know to answer. For a call: the operation, its arguments, its effect and the reason.
 */
export function contextLines(question: Question, texts: Texts, style: Style = PLAIN): string[] {
  const { kind, context, url } = question;
  const about =
    kind === 'plan_approval'
      ? planQuestionLines(question, texts)
      : kind === 'approval'
        ? approvalLines(context, texts, style)
        : undefined;
  return about ?? [...callLines(context, texts), ...(url === undefined ? [] : [pageLine(url, texts)])];
}

/**
 * The whole address, and the host separately, because a long address can hide the host. It is never opened.
 */
function pageLine(url: string, texts: Texts): string {
  return printable(texts.page(url, URL.canParse(url) ? new URL(url).host : '?'));
}

/** What the user approves: the tool, each argument, what the tool says about the call, and its effect. */
function approvalLines(context: Question['context'], texts: Texts, style: Style): string[] | undefined {
  const read = callAbout.safeParse(context);
  if (!read.success || !isObject(context)) return undefined;
  const { operation, effect: does, preview, previewFailed, trust, also = [], planned = [] } = read.data;
  const names = texts.contextNames;
  const plannedText = planned
    .map((one) => texts.plannedCalls(shown(one.operation, texts), texts.effect(one.effect), one.calls))
    .join(texts.comma);
  const labelled = (name: string, text: string) => texts.labelled(printable(names[name] ?? name), text);
  return [
    shown(operation, texts),
    ...argumentLines(read.data, texts, style),
    ...(trust === undefined
      ? []
      : trustLines({ ...trust, values: [], trustMissing: [] }, texts.words).map((line) =>
          style.yellow(shown(line, texts)),
        )),
    ...also.flatMap((one) => [
      labelled('also', shown(operation, texts)),
      ...argumentLines(one, texts, style),
    ]),
    ...diffLines(preview?.diff),
    ...(previewFailed === undefined ? [] : [labelled('previewFailed', shown(previewFailed, texts))]),
    labelled('effect', texts.words.effects[does]),
    labelled('reversible', texts.words.undo[reversibility(read.data)]),
    ...(context.reasoning === undefined
      ? []
      : [texts.labelled(texts.reason, shown(context.reasoning, texts))]),
    ...(planned.length === 0 ? [] : [labelled('planned', plannedText)]),
    ...(trust === undefined ? planLines(context.plan, texts) : []),
    // For the developer of the tool, so it comes last and is faint.
    ...(trust?.trustMissing === undefined
      ? []
      : [style.dim(printable(texts.words.trust.trustMissing(trust.trustMissing)))]),
  ];
}

/** Each argument, and beneath it where its value was read. In quotes, so that a value cannot look like that place. */
function argumentLines(
  { args, trust }: Pick<CallAbout, 'args' | 'trust'>,
  texts: Texts,
  style: Style,
): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const origin = trust?.values.find(({ argument }) => argument === name);
    if (origin === undefined) return [`  ${printableLine(name)}: ${shown(value, texts)}`];
    const paint = origin.isInGoal === true ? style.green : style.red;
    return [
      `  ${printableLine(name)}: ${paint(shown(quoted(value), texts))}`,
      `    ${style.dim(shown(originText(origin, texts.words), texts))}`,
    ];
  });
}

const MOST_DIFF_LINES = 60;

function diffLines(diff: string | undefined): string[] {
  const lines = (diff ?? '')
    .split('\n')
    .filter((line) => line !== '' && !/^(?:===|\\ No newline)/.test(line));
  const cut = lines.length > MOST_DIFF_LINES ? [`… (+${lines.length - MOST_DIFF_LINES})`] : [];
  return [...lines.slice(0, MOST_DIFF_LINES).map((line) => printable(line)), ...cut].map(
    (line) => `  ${line}`,
  );
}

function callLines(context: Question['context'], texts: Texts): string[] {
  if (context === undefined || context === null) return [];
  if (!isObject(context)) return [shown(context, texts)];
  const { operation, args, reasoning, plan, done, open, ...others } = context;
  return [
    ...(operation === undefined ? [] : [`${shown(operation, texts)} ${shown(args ?? {}, texts)}`]),
    ...Object.entries(others).map(([name, value]) =>
      texts.labelled(
        printableLine(texts.contextNames[name] ?? name),
        shown(inWords(name, value, texts), texts),
      ),
    ),
    ...insideLines('done', Array.isArray(done) ? done : [], texts),
    ...insideLines('open', open === undefined ? [] : [open], texts),
    ...(reasoning === undefined ? [] : [texts.labelled(texts.reason, shown(reasoning, texts))]),
    ...planLines(plan, texts),
  ];
}

/** The calls that a service had made before it was interrupted. */
function insideLines(name: 'done' | 'open', calls: readonly Json[], texts: Texts): string[] {
  if (calls.length === 0) return [];
  const lines = calls.map((call) => {
    const { operation = '', args = {} } = (call ?? {}) as JsonObject;
    return `  ${shown(operation, texts)} ${shown(args, texts)}`;
  });
  return [texts.labelled(printable(texts.contextNames[name] ?? name)), ...lines];
}

function inWords(name: string, value: Json, { words: { effects } }: Texts): Json {
  const known = effect.safeParse(name === 'effect' ? value : undefined);
  return known.success ? effects[known.data] : value;
}

/** For one call of several: an estimate of the whole plan, so that the user knows what else it does. */
function planLines(plan: Json | undefined, texts: Texts): string[] {
  const read = estimate.safeParse(plan);
  if (!read.success || read.data.calls < 2) return [];
  return [
    texts.labelled(texts.wholePlan),
    ...estimateLines(read.data, texts).map((line) => `  ${printable(line)}`),
  ];
}

/** As JSON, with invisible characters as escapes. */
function quoted(value: Json): string {
  return stringifyJson(value).replaceAll(/\p{Cf}/gu, (sign) => sign.split('').map(escapeOf).join(''));
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function shown(value: Json, texts: Texts): string {
  const text = printable(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : stringifyJson(value));
  if (text.length <= LONGEST) return text;
  // The end too: a harmless beginning could hide what a command does last.
  const end = text.slice(-END).replace(/^[\uDC00-\uDFFF]/, '');
  return `${clip(text, LONGEST - END)}${end} ${texts.characters(text.length)}`;
}

/** The most tasks to show. `show --plan` has all of them. */
const MOST_TASKS = 100;
const WIDTH = 400;

/** What the user should know before approving a plan: its calls, its changes and its cost. */
function planQuestionLines({ context }: Question, texts: Texts): string[] | undefined {
  const read = planAbout.safeParse(context);
  if (!read.success) return undefined;
  const { plan, tasks, changes, notes = [], problems = [] } = read.data;
  return [
    ...problems.map((one) => oneLine(texts.plans.problem(one.task, texts.message(one.message)), WIDTH)),
    ...aimLines(read.data, texts),
    ...tasks.slice(0, MOST_TASKS).flatMap((one) => taskLines(one, changes, texts)),
    ...(tasks.length > MOST_TASKS ? [texts.more(tasks.length - MOST_TASKS)] : []),
    ...(changes?.removed ?? []).map((one) => `- ${callText(one)}`),
    ...estimateLines(plan, texts),
    ...limitLines(read.data, texts),
    ...notes.map((note) => oneLine(texts.plans.note(note), WIDTH)),
  ];
}

/** What the plan is for. */
export function aimLines(about: PlanAbout, texts: Texts): string[] {
  const { objective, successCriteria = [], constraints = [], reasoning } = about;
  return [
    ...(objective === undefined ? [] : [oneLine(texts.labelled(texts.objective, objective), WIDTH)]),
    ...successCriteria.map((one) => oneLine(texts.labelled(texts.criteria, one), WIDTH)),
    ...constraints.map((one) => oneLine(texts.labelled(texts.constraints, one), WIDTH)),
    ...(reasoning === undefined ? [] : [oneLine(texts.labelled(texts.reason, reasoning), WIDTH)]),
  ];
}

export function limitLines({ limits }: PlanAbout, texts: Texts): string[] {
  if (limits === undefined) return [];
  return [texts.plans.limits(limits.calls, limits.tasks, durationText(limits.time), limits.cost)];
}

/** Text from the planner is kept on one line each, so that it cannot imitate output of this program. */
function taskLines(one: PlanAbout['tasks'][number], changes: PlanAbout['changes'], texts: Texts): string[] {
  const before = changes?.changed.find(({ id }) => id === one.id);
  const mark = changes === undefined ? '' : markOf(one.id, before, changes);
  const after = one.waitsFor === undefined ? [] : [texts.after(oneLine(one.waitsFor.join(', '), 80))];
  // What a step will call is not known yet. Its tasks are asked about when they are.
  if (isStep(one))
    return [`${mark}${stepText(one)}  (${[texts.plans.stepTouches, ...after].join(texts.comma)})`];
  return [
    `${mark}${callText(one)}  (${[texts.effect(one.effect), ...after].join(texts.comma)})`,
    ...(before === undefined ? [] : [`    ${texts.plans.was(callText(before))}`]),
    ...(one.trust === undefined
      ? []
      : trustLines(one.trust, texts.words).map((line) => `    ${oneLine(line, WIDTH)}`)),
  ];
}

function markOf(id: string, before: Task | undefined, { added }: NonNullable<PlanAbout['changes']>): string {
  if (before !== undefined) return '~ ';
  return added.includes(id) ? '+ ' : '  ';
}

function stepText({ id, description, args }: Task): string {
  const purpose = description ?? args.description ?? args.purpose ?? '';
  return oneLine(`${id} ${asText(purpose)}`, WIDTH);
}

function callText({ id, operation, args }: Task): string {
  return oneLine(`${id} ${operation} ${stringifyJson(args)}`, WIDTH);
}

/** The plan as a file to edit, with its estimate and the dependencies of each task. */
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
        const { effect: does = 'write', operation = '', waitsFor = [] } = byId.get(id) ?? {};
        const after = waitsFor.length === 0 ? [] : [texts.after(waitsFor.join(', '))];
        const touches = isStep({ operation }) ? texts.plans.stepTouches : texts.effect(does);
        return [[touches, ...after].join(texts.comma)];
      },
    },
  );
}
