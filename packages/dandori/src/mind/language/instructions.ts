import { isPlain } from '../../core/intake.ts';
import { isOwnTool } from '../../core/own-tools.ts';
import type { RunState } from '../../core/state.ts';
import type { Mode } from '../../domain/mode.ts';
import type { OrderRule, Settings } from '../../domain/settings.ts';
import type { Thought } from '../../ports/mind.ts';
import type { MissingServer } from '../../ports/toolbox.ts';
import { readPrompt } from '../prompts/read.ts';
import { type Described, describedTools, describeTool, tellServers } from './offered.ts';
import { withoutTags } from './outcome.ts';

type Planning = NonNullable<Settings['planning']>;

/** What the dialects say differently. */
export interface Form {
  readonly system: () => string;
  readonly tools: (described: Described) => string;
}

const TEXT: Form = { system: () => readPrompt('system'), tools: toolsPart };

/** The part of the prompt that is the same for every call of a run, so that providers find it in their caches. */
export function writeInstructions(
  thought: Pick<Thought, 'state' | 'tools' | 'offer' | 'missing'>,
  custom?: string,
  form: Form = TEXT,
): string {
  const { state, missing } = thought;
  const { mode, order, planning } = state.settings;
  const parts = [
    form.system(),
    ...(hasRefs(mode) ? [readPrompt('refs')] : []),
    ...(hasRefs(mode) ? [readPrompt('planning')] : []),
    readPrompt(`mode-${mode}`),
    planning === undefined || mode === 'direct' ? '' : strategyPart(planning, mode),
  ];
  if (mode !== 'direct')
    parts.push(form.tools(describedTools(thought)), missingPart(missing), orderPart(order));
  if (state.conversation !== undefined) parts.push(conversationPart(state));
  if (custom !== undefined && custom.trim() !== '')
    parts.push(`# Instructions from the user\n\n${custom.trim()}`);
  return parts.filter((part) => part !== '').join('\n\n');
}

function conversationPart(state: RunState): string {
  const hasPlans = state.settings.mode !== 'direct' && !isPlain(state);
  return [readPrompt('conversation'), ...(hasPlans ? [readPrompt('conversation-plans')] : [])].join('\n');
}

export function hasRefs(mode: Mode): boolean {
  return mode === 'auto' || mode === 'planned' || mode === 'hierarchical';
}

function strategyPart({ strategy, decomposition }: Planning, mode: Mode): string {
  const divides = mode === 'hierarchical' || mode === 'auto';
  return [
    readPrompt(`strategy-${strategy}`),
    ...(divides ? [readPrompt(`decomposition-${decomposition}`)] : []),
  ].join('\n');
}

function toolsPart({ tools, servers }: Described): string {
  if (tools.every(isOwnTool) && servers === undefined) return '# Tools\n\nThere are none.';
  const list = `# Tools\n\nIn brackets: what a call does to the world.\n\n${tools.map(describeTool).join('\n')}`;
  return [list, ...tellServers(servers)].join('\n\n');
}

/** Why one is not there is partly what it wrote itself, and so no instruction. */
function missingPart(missing: readonly MissingServer[]): string {
  if (missing.length === 0) return '';
  const told = (reason: string) => withoutTags(reason.replaceAll(/\s+/g, ' '));
  const lines = missing.map(({ server, reason }) => `- ${server}: <result>${told(reason)}</result>`).sort();
  return `These servers are configured and not available now:\n${lines.join('\n')}`;
}

function orderPart(order: readonly OrderRule[]): string {
  if (order.length === 0) return '';
  const lines = order.map(
    ({ before, after }) => `- ${before} must have succeeded before ${after} is called.`,
  );
  return `# Order of tools\n\nThese rules are enforced:\n${lines.join('\n')}`;
}
