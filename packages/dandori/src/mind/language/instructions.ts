import type { Brief, Loop, Progress } from '../../model/decision.ts';
import type { Purpose } from '../../model/event.ts';
import { stringifyJson } from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import type { Mode, OrderRule, Settings } from '../../model/settings.ts';
import type { MissingServer, Tool } from '../../model/tool.ts';
import { isPlain } from '../../run/actions/parse-actions.ts';
import type { RunState } from '../../run/state/state.ts';
import { LastMadeFor } from '../last-made.ts';
import type { Thought } from '../mind.ts';
import { readPrompt } from '../prompts/read.ts';
import { exampleDecision } from './example.ts';
import {
  canAnnounce,
  type Described,
  describedTools,
  describeTool,
  hasRefs,
  isGuarded,
  isToldLater,
  tellServers,
} from './tool-text.ts';

type Planning = NonNullable<Settings['planning']>;

/** The parts of the instructions that differ between dialects. */
export interface Form {
  /** The instructions of each run in this form. */
  readonly written: LastMadeFor<RunState, string>;
  readonly system: (state: RunState, described: Described) => string;
  readonly plans: (state: RunState) => string;
  /** How to announce calls that change something and are decided later. */
  readonly announcing: (thought: InstructionsInput) => string;
  readonly tools: (described: Described, mode: Mode) => string;
}

const TEXT: Form = {
  written: new LastMadeFor(),
  system: ({ settings: { mode, questions } }, { tools }) =>
    readPrompt('system')
      .replace('{{example}}', () => exampleDecision(mode === 'direct' ? [] : tools))
      .replace('{{default}}', questions?.expireAfter === undefined ? '' : ABOUT_DEFAULT),
  plans(state) {
    const more = hasOpenLists(state) ? [`- ${readPrompt('action-fields')}`, readPrompt('open-list')] : [];
    const text = state.settings.mode === 'auto' ? autoPlans('planning-auto', state) : readPrompt('planning');
    return [text, ...more].join('\n');
  },
  announcing: (thought) => (canAnnounce(thought) ? readPrompt('announce') : ''),
  tools: toolsPart,
};

/** Only where questions expire. */
const ABOUT_DEFAULT = ' `default` is used if there is no answer.';

type InstructionsInput = Pick<Thought, 'state' | 'tools' | 'offer' | 'missing'>;

/** The part of the prompt that is the same for every call of a run, so that provider caches hit. Written once. */
export function writeInstructions(thought: InstructionsInput, custom?: string, form: Form = TEXT): string {
  const { state, tools, offer, missing } = thought;
  const { settings, offered, planGiven, conversation } = state;
  const { mode, order, planning, questions } = settings;
  const parts = [
    tools,
    offered?.first ?? offer,
    planGiven,
    conversation,
    mode,
    order,
    planning,
    questions,
    custom,
    ...missing.map(({ server }) => server),
  ];
  return form.written.from(state, parts, () => shared(composeInstructions(thought, custom, form)));
}

let latest = '';

/** A thousand runs with the same tools and settings share one text. */
function shared(text: string): string {
  if (text !== latest) latest = text;
  return latest;
}

function composeInstructions(thought: InstructionsInput, custom: string | undefined, form: Form): string {
  const { state, missing } = thought;
  const { mode, order, planning } = state.settings;
  const described = describedTools(thought);
  const parts = [
    form.system(state, described),
    ...workParts(thought, form),
    form.announcing(thought),
    planning === undefined || mode === 'direct' ? '' : strategyPart(planning, mode),
  ];
  if (mode !== 'direct') parts.push(form.tools(described, mode), missingPart(missing), orderPart(order));
  if (state.conversation !== undefined) parts.push(conversationPart(state));
  if (state.output !== undefined)
    parts.push(`${readPrompt('answer-output')}\n\n${stringifyJson(state.output)}`);
  if (custom !== undefined && custom.trim() !== '')
    parts.push(`# Instructions from the user\n\n${custom.trim()}`);
  return parts.filter((part) => part !== '').join('\n\n');
}

/** What the model must know of Refs, plans and how to work. `auto` has fewer words for it, because most goals are small. */
function workParts({ state, tools }: InstructionsInput, form: Form): string[] {
  const { mode } = state.settings;
  const plans = hasPlans(state) ? form.plans(state) : '';
  // Plans of the model are followed by this text.
  const criteria = state.planGiven && mode !== 'direct' ? [readPrompt('criteria')] : [];
  if (mode !== 'auto')
    return [hasRefs(mode) ? readPrompt('refs') : '', plans, ...criteria, readPrompt(`mode-${mode}`)];
  // Other values are asked about if they come from external content.
  const aims = isGuarded({ state, tools }) ? [`- ${readPrompt('whole-fields')}`] : [];
  return [[readPrompt('mode-auto'), ...aims, plans].join('\n'), ...criteria];
}

function conversationPart(state: RunState): string {
  const hasPlans = state.settings.mode !== 'direct' && !isPlain(state);
  return [readPrompt('conversation'), ...(hasPlans ? [readPrompt('conversation-plans')] : [])].join('\n');
}

/** A plan that the user gave may have steps in any mode. */
export function hasPlans({ settings: { mode }, planGiven }: RunState): boolean {
  return hasRefs(mode) || (planGiven && mode !== 'direct');
}

/** In `auto` the model can simply return the calls that it sees now. A list that it leaves open is accepted there too. */
export function hasOpenLists({ settings: { mode }, planGiven }: RunState): boolean {
  return mode === 'planned' || mode === 'hierarchical' || (planGiven && mode !== 'direct');
}

/** How to plan in `auto`, in one line. It also says how finely to divide the work. */
export function autoPlans(
  name: 'planning-auto' | 'planning-auto-tools',
  { settings: { planning } }: RunState,
): string {
  const division = planning === undefined ? '' : `, ${readPrompt(`decomposition-${planning.decomposition}`)}`;
  return readPrompt(name).replace('{{steps}}', division);
}

function strategyPart({ strategy, decomposition }: Planning, mode: Mode): string {
  const division = `Steps of a plan: ${readPrompt(`decomposition-${decomposition}`)}.`;
  return [readPrompt(`strategy-${strategy}`), ...(mode === 'hierarchical' ? [division] : [])].join('\n');
}

function toolsPart({ tools, servers }: Described, mode: Mode): string {
  if (tools.every(isOwnTool) && servers === undefined) return '# Tools\n\nThere are none.';
  const described = tools.filter((tool) => !isToldLater(tool, mode));
  const lines = described.map((tool) => describeTool(tool, mode));
  const list = `# Tools\n\n${aboutTools(described, mode)}\n\n${lines.join('\n')}`;
  return [list, ...tellServers(servers)].join('\n\n');
}

/** How to read the list. Most tools of others have no result type, and many lists only tools that read. */
function aboutTools(tools: readonly Tool[], mode: Mode): string {
  const hasResults = hasRefs(mode) && tools.some(({ outputSchema }) => outputSchema !== undefined);
  const changes = tools.some(({ effect }) => effect !== 'read');
  return [
    `Below each tool: its \`args\` (strings where no type is given)${hasResults ? ' → the fields of its result' : ''}.`,
    ...(changes ? ['In brackets: what a call changes; the others only read.'] : []),
  ].join(' ');
}

/**
 * The reason goes to the user only. A server may have written it, and at this point the mind must not have read
 * external content.
 */
function missingPart(missing: readonly MissingServer[]): string {
  if (missing.length === 0) return '';
  const names = missing.map(({ server }) => server).sort();
  return `These servers are configured and not available now: ${names.join(', ')}.`;
}

function orderPart(order: readonly OrderRule[]): string {
  if (order.length === 0) return '';
  const lines = order.map(
    ({ before, after }) => `- ${before} must have succeeded before ${after} is called.`,
  );
  return `# Order of tools\n\nThese rules are enforced:\n${lines.join('\n')}`;
}

/** What a request explains in full only once in a prompt: how to reflect, and how to return the actions of steps. */
export type Explained = 'reflect' | 'generate';

const NOTHING: ReadonlySet<Explained> = new Set();

/** What the request of a decision explains. */
export function explainedBy({ purpose, brief }: Pick<Thought, 'purpose' | 'brief'>): Explained[] {
  return [
    ...(brief?.reflect === 'interval' ? ['reflect' as const] : []),
    ...(purpose === 'generate' ? ['generate' as const] : []),
  ];
}

interface BriefContext {
  /** What earlier requests of the prompt have explained. */
  readonly explained?: ReadonlySet<Explained>;
  /** The run can have a plan. */
  readonly canRevise?: boolean;
}

/**
 * The request of a decision. It depends only on what was journaled with the decision, so that later prompts
 * repeat it word for word. `act` alone needs no text, because the instructions say what to do next.
 */
export function writeBrief(
  purpose: Purpose,
  brief: Brief | undefined,
  { explained = NOTHING, canRevise = true }: BriefContext = {},
): string[] {
  if (brief === undefined && purpose === 'act') return [];
  const { progress, loop, reflect, unmet, revisionsLeft, steps = [], report = [], isContinued } = brief ?? {};
  const isReflectKnown = reflect === 'interval' && explained.has('reflect');
  const isGenerateKnown = purpose === 'generate' && explained.has('generate');
  const parts = [
    isContinued === true ? 'The user has raised the limits of this run. Go on with the goal.' : undefined,
    progress && tellProgress(progress, purpose),
    loop && tellLoop(loop),
    reflect && readPrompt(isReflectKnown ? 'reflect-again' : `reflect-${reflect}`),
    reflect === 'error' && canRevise ? readPrompt('reflect-revise') : undefined,
    unmet && `Not met yet: ${unmet.join('; ')}. ${readPrompt('unmet')}`,
    report.length === 0 ? undefined : `${readPrompt('report')} Steps to report: ${report.join(', ')}.`,
    revisionsLeft === undefined ? undefined : `Revisions left: ${revisionsLeft}.`,
    purpose === 'act'
      ? undefined
      : [readPrompt(isGenerateKnown ? 'generate-again' : `purpose-${purpose}`), ...named(steps)].join(' '),
  ];
  const text = parts.filter((part) => part !== undefined).join('\n');
  return text === '' ? [] : [text];
}

function named(steps: readonly string[]): string[] {
  return steps.length === 0 ? [] : [steps.join(', ')];
}

/** For `generate` the request itself names the current steps. */
function tellProgress({ done, total, current = [], failed = [] }: Progress, purpose: Purpose): string {
  const parts = [
    `Progress: ${done} of ${total} steps done`,
    ...(current.length > 0 && purpose !== 'generate' ? [`now: ${current.join(', ')}`] : []),
    ...(failed.length > 0 ? [`failed: ${failed.join(', ')}`] : []),
  ];
  return `${parts.join('; ')}.`;
}

const CIRCLES: Readonly<Record<Loop['kind'], string>> = {
  same_result: 'The same call gave the same result again',
  same_failure: 'The same call failed again',
  ping_pong: 'The same two turns follow each other again and again',
  no_progress: 'Nothing has succeeded for several turns',
};

function tellLoop({ kind, tasks }: Loop): string {
  return `${CIRCLES[kind]} (${tasks.join(', ')}). ${readPrompt('loop')}`;
}
