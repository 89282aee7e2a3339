import type { Event } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import { OWN_TOOLS, withOwnTools } from '../model/own-tools.ts';
import { isSameButRedacted } from '../model/redact.ts';
import type { Task } from '../model/task.ts';
import { clip } from '../model/text.ts';
import type { Tool } from '../model/tool.ts';
import { compileDraft } from '../run/drafts/draft.ts';
import type { Proving } from './proof.ts';

/** Whether a plan could be proposed and accepted after the events before it. */
export function draftProblems(
  { data }: Event & { type: 'plan_proposed' | 'plan_revised' },
  { state, next }: Proving,
): string[] {
  const begun = (data.removes ?? []).filter((id) => {
    const task = state.tasks.get(id);
    return task === undefined || task.attempts > 0 || task.status === 'succeeded';
  });
  const isRepair = data.by === 'repair';
  const isEarly = data.by === 'mind' && state.draft !== undefined;
  const isOfNothing = isRepair && (state.draft === undefined || next?.type !== 'plan_approved');
  return [
    ...same('version', data.version, state.planVersion + 1),
    ...begun.map((id) => `it removes ${id}, which does not exist or has started`),
    ...(isEarly ? ['what was proposed before it has not been compiled'] : []),
    ...(isOfNothing ? ['it repairs nothing that was proposed, or was not accepted'] : []),
  ];
}

export function versionProblems(version: number, { state }: Proving): string[] {
  return state.draft === undefined
    ? ['nothing was proposed before it']
    : same('version', version, state.draft.version);
}

/**
 * Compiles the plan again. Only the journaled effects and prices of the tools are known; the resources of a
 * server are not.
 */
export function planApprovalProblems(event: Event & { type: 'plan_approved' }, proving: Proving): string[] {
  const { draft } = proving.state;
  const wrong = versionProblems(event.data.version, proving);
  if (draft === undefined || draft.tasks.length === 0) return wrong;
  const all = journaledTools(event, draft.tasks);
  const own = [...all].filter(([name]) => !Object.hasOwn(OWN_TOOLS, name));
  const found = planProblems(event, proving, withOwnTools(new Map(own)));
  // A user's tool with the same name replaces one of Dandori's own tools.
  const isOther = found.length > 0 && own.length < all.size;
  return [...wrong, ...(isOther ? planProblems(event, proving, all) : found)];
}

function journaledTools(
  { data }: Event & { type: 'plan_approved' },
  tasks: readonly Task[],
): Map<string, Tool> {
  const checked = new Map(data.tasks.map((task) => [task.id, task]));
  return new Map(
    tasks.map(({ id, operation }) => {
      const { effect = 'write', cost } = checked.get(id) ?? {};
      const [server = operation] = operation.split('.');
      const about = { name: operation, server, description: '', inputSchema: {}, trusted: true };
      return [operation, { ...about, effect, ...(cost !== undefined && { cost }) }];
    }),
  );
}

function planProblems(
  { data }: Event & { type: 'plan_approved' },
  { state, check }: Proving,
  tools: ReadonlyMap<string, Tool>,
): string[] {
  const { draft, settings } = state;
  if (draft === undefined) return [];
  const { tasks } = draft;
  const toolbox = { tools: () => tools, missing: () => [] };
  const { cost: _, ...limits } = settings.limits;
  const priceless = { ...state, settings: { ...settings, limits } };
  const compiled = compileDraft(draft, {
    state: priceless,
    parts: { toolbox, check, clock: { now: () => state.lastAt }, isProof: true },
  });
  if (!compiled.ok) return compiled.diagnostics.map(({ message }) => `it does not compile: ${message}`);
  const checked = new Map(data.tasks.map((task) => [task.id, task]));
  const known = new Set([...state.tasks.keys(), ...checked.keys()]);
  const strange = data.tasks
    .flatMap(({ needs = [], waits = [] }) => [...needs, ...waits])
    .concat((data.groups ?? []).flat())
    .filter((id) => !known.has(id));
  return [
    ...same('tasks', [...checked.keys()], [...new Set(tasks.map(({ id }) => id))]),
    ...strange.map((id) => `a task waits for ${id}, which is in no plan`),
    ...compiled.tasks.flatMap(({ id, effect, needs }) => [
      ...same(`effect of ${id}`, checked.get(id)?.effect, effect),
      ...same(`what ${id} needs`, checked.get(id)?.needs ?? [], needs ?? []),
    ]),
  ];
}

const SHOWN = 200;

/** Compares a journaled value with the derived one. Empty if they are equal. */
export function same(name: string, written: unknown, derived: unknown): string[] {
  if (isSameButRedacted(written, derived)) return [];
  return [`${name} is ${shown(written)} where ${shown(derived)} must be`];
}

function shown(value: unknown): string {
  return clip(stringifyJson(value) ?? 'nothing', SHOWN);
}
