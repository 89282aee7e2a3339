import type { Reflection } from '../model/decision.ts';
import type { Event } from '../model/event.ts';
import type { Diagnostic, Revision } from '../model/plan.ts';
import type { Task } from '../model/task.ts';
import { fold } from '../run/state/apply.ts';
import { type PlanView, planView } from '../views/plan.ts';

interface Entry {
  readonly seq: number;
  readonly at: number;
}

/** A plan, or a change of one, and what the compiler said of it. */
export interface ProposedEntry extends Entry {
  readonly kind: 'proposed' | 'revised';
  readonly version: number;
  readonly by: 'mind' | 'user' | 'repair';
  /** Undefined as long as neither the compiler nor a person has said so. */
  readonly isAccepted?: boolean;
  /** A person has put another in its place before it was accepted. */
  readonly isReplaced?: true;
  /** All of a plan; of a revision all that is written anew. */
  readonly tasks: readonly Task[];
  readonly removes: readonly string[];
  readonly supersedes: readonly string[];
  readonly revision?: Revision;
  readonly diagnostics?: readonly Diagnostic[];
  /** Why a person did not approve it; empty where they did not say. */
  readonly reason?: string;
}

export interface ReflectedEntry extends Entry, Reflection {
  readonly kind: 'reflected';
  readonly decision: number;
  readonly by: 'mind' | 'runtime';
}

export type HistoryEntry = ProposedEntry | ReflectedEntry;

/** How the plan of a run came to be what it is. */
export interface PlanHistory {
  readonly run: string;
  readonly goal: string;
  /** As it stands now; absent where nothing was planned. */
  readonly plan?: PlanView;
  /** Its tasks as they are written, in order; what a revision put others in place of is left out. */
  readonly tasks: readonly Task[];
  readonly entries: readonly HistoryEntry[];
}

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

/** Every proposal, revision and reflection, with what became of it. */
export function planEntries(events: readonly Event[]): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const event of events) {
    const { seq, at, type, data } = event;
    if (type === 'reflection_made') {
      entries.push({ kind: 'reflected', seq, at, ...data });
    } else if (type === 'plan_proposed') {
      const { version, by, tasks, removes = [] } = data;
      if (by === 'user') replaceOpen(entries);
      entries.push({ kind: 'proposed', seq, at, version, by, tasks, removes, supersedes: [] });
    } else if (type === 'plan_revised') {
      const { version, by, tasks, removes, supersedes = [], reason, changes } = data;
      const revision = { reason, changes };
      if (by === 'user') replaceOpen(entries);
      entries.push({ kind: 'revised', seq, at, version, by, tasks, removes, supersedes, revision });
    } else if (type === 'plan_approved') judge(entries, { isAccepted: true });
    else if (type === 'plan_rejected') {
      const { diagnostics, reason } = data;
      judge(entries, { isAccepted: false, diagnostics, ...(reason !== undefined && { reason }) });
    }
  }
  return entries;
}

/** What a person has edited is not open any more. */
function replaceOpen(entries: HistoryEntry[]): void {
  const last = entries.findLast((entry) => entry.kind !== 'reflected');
  if (last !== undefined && last.isAccepted === undefined) judge(entries, { isReplaced: true });
}

/** The compiler, or a person, speaks of the last one that was proposed. */
function judge(
  entries: HistoryEntry[],
  verdict: Pick<ProposedEntry, 'isAccepted' | 'isReplaced' | 'diagnostics' | 'reason'>,
): void {
  const index = entries.findLastIndex(({ kind }) => kind !== 'reflected');
  const entry = entries[index];
  if (entry !== undefined && entry.kind !== 'reflected') entries[index] = { ...entry, ...verdict };
}
