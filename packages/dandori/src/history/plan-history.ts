import * as z from 'zod';
import { reflection } from '../model/decision.ts';
import type { Event } from '../model/event.ts';
import { diagnostic, outline, planAuthor, revision } from '../model/plan.ts';
import { task } from '../model/task.ts';
import { fold } from '../run/state/apply.ts';
import { planView, planViewSchema } from '../views/plan.ts';

const entry = z.object({ seq: z.number().int(), at: z.number().describe('Milliseconds since 1970') });

/** A proposed or revised plan, and the compiler's verdict. */
const proposedEntry = entry.extend({
  kind: z.enum(['proposed', 'revised']),
  version: z.number().int(),
  by: planAuthor,
  isAccepted: z.boolean().optional().describe('Absent until the compiler or the user has decided'),
  isReplaced: z.literal(true).optional().describe('The user replaced it before it was accepted'),
  tasks: z.array(task).readonly().describe('All of a plan; the new tasks of a revision'),
  removes: z.array(z.string()).readonly(),
  supersedes: z.array(z.string()).readonly(),
  revision: revision.optional(),
  outline: outline.optional(),
  reasoning: z.string().optional().describe('The reasoning of its decision'),
  needs: z
    .record(z.string(), z.array(z.string()).readonly())
    .optional()
    .describe('The dependencies of each task, as the compiler found them'),
  diagnostics: z.array(diagnostic).readonly().optional(),
  reason: z.string().optional().describe('Why the user rejected it; empty without a reason'),
});
export type ProposedEntry = Readonly<z.infer<typeof proposedEntry>>;

const reflectedEntry = entry.extend({
  ...reflection.shape,
  trigger: z
    .enum(['error', 'interval', 'evaluation'])
    .describe('`evaluation`: the model judged its own answer, and success criteria are not met'),
  kind: z.literal('reflected'),
  decision: z.number().int(),
  by: z.enum(['mind', 'runtime']),
});
export type ReflectedEntry = Readonly<z.infer<typeof reflectedEntry>>;

export type HistoryEntry = ProposedEntry | ReflectedEntry;

/** How the plan of a run developed. */
export const planHistorySchema = z.object({
  run: z.string(),
  goal: z.string(),
  plan: planViewSchema.optional().describe('As it stands now; absent if nothing was planned'),
  tasks: z.array(task).readonly().describe('In written order, without those that a revision replaced'),
  entries: z.array(z.union([proposedEntry, reflectedEntry])).readonly(),
});
export type PlanHistory = Readonly<z.infer<typeof planHistorySchema>>;

export function planHistory(events: readonly Event[]): PlanHistory | undefined {
  const state = fold(events);
  if (state === undefined) return undefined;
  const plan = planView(state);
  const standing = [...state.tasks.values()].filter(({ isSuperseded }) => !isSuperseded);
  return {
    run: state.run,
    goal: state.goal,
    ...(plan && { plan }),
    tasks: standing.length > 0 ? standing.map(({ task }) => task) : (state.draft?.tasks ?? []),
    entries: planEntries(events),
  };
}

/** Every proposal, revision and reflection, with its outcome. */
export function planEntries(events: readonly Event[]): HistoryEntry[] {
  const growing: GrowingHistory = { entries: [] };
  for (const event of events) addEntry(growing, event);
  return growing.entries;
}

export interface GrowingHistory {
  readonly entries: HistoryEntry[];
  /** Of the last decision. */
  reasoning?: string | undefined;
}

/** Adds what the event says about the plan, if it says something. */
export function addEntry(growing: GrowingHistory, event: Event): void {
  const { entries, reasoning } = growing;
  const { seq, at, type, data } = event;
  if (type === 'decision_started' && data.brief?.unmet !== undefined) {
    const about = { decision: data.decision - 1, by: 'mind', trigger: 'evaluation' } as const;
    const judged = { status: 'failure', evaluation: data.brief.unmet.join('; ') } as const;
    entries.push({ kind: 'reflected', seq, at, ...about, ...judged, revisionNeeded: true });
  } else if (type === 'decision_made') {
    growing.reasoning = data.reasoning;
  } else if (type === 'reflection_made') {
    entries.push({ kind: 'reflected', seq, at, ...data });
  } else if (type === 'plan_proposed') {
    const { version, by, tasks, removes = [], outline } = data;
    if (by === 'user') replaceOpen(entries);
    const about = {
      ...{ version, by, tasks, removes, supersedes: [] },
      ...(outline && { outline }),
      ...(by === 'mind' && reasoning !== undefined && { reasoning }),
    };
    entries.push({ kind: 'proposed', seq, at, ...about });
  } else if (type === 'plan_revised') {
    const { version, by, tasks, removes, supersedes = [], reason, changes, outline } = data;
    const revision = { reason, changes };
    if (by === 'user') replaceOpen(entries);
    const about = { version, by, tasks, removes, supersedes, revision, ...(outline && { outline }) };
    entries.push({ kind: 'revised', seq, at, ...about });
  } else if (type === 'plan_approved') {
    const needing = data.tasks.flatMap(({ id, needs = [] }) =>
      needs.length > 0 ? [[id, needs] as const] : [],
    );
    judge(entries, { isAccepted: true, ...(needing.length > 0 && { needs: Object.fromEntries(needing) }) });
  } else if (type === 'plan_rejected') {
    const { diagnostics, reason } = data;
    judge(entries, { isAccepted: false, diagnostics, ...(reason !== undefined && { reason }) });
  }
}

/** A plan that the user edited is no longer open. */
function replaceOpen(entries: HistoryEntry[]): void {
  const last = entries.findLast((entry) => entry.kind !== 'reflected');
  if (last !== undefined && last.isAccepted === undefined) judge(entries, { isReplaced: true });
}

/** Approvals and rejections refer to the last proposed plan. */
function judge(
  entries: HistoryEntry[],
  verdict: Pick<ProposedEntry, 'isAccepted' | 'isReplaced' | 'needs' | 'diagnostics' | 'reason'>,
): void {
  const index = entries.findLastIndex(({ kind }) => kind !== 'reflected');
  const entry = entries[index];
  if (entry !== undefined && entry.kind !== 'reflected') entries[index] = { ...entry, ...verdict };
}
