import { countOf, labels } from './labels.ts';
import { words } from './words.ts';

/** Texts of the CLI for saving, verifying, forking, comparing and testing past runs. */
export const history = {
  lifted: {
    from: (run: string, outcome: string) => `Saved from run ${run} (${outcome}).`,
    notOrdered: (tasks: string) =>
      `The model decided these calls after it read external content, and you approved them: ${tasks}. A plan that you run is your order, so check them.`,
    inferred: (count: number) =>
      `${count === 1 ? '1 reference was' : `${count} references were`} inferred from equal values in earlier results. Check each one.`,
    left: (task: string, operation: string, reason: string) => `Left out: ${task} ${operation} (${reason})`,
    redacted: (tasks: string) => `Replace each [secret] with the real value: ${tasks}`,
    unread: (tasks: string) => `No references were inferred from results that can't be read: ${tasks}`,
    was: (path: string, ref: string, value: string) => `${path}: inferred ${ref}; the value was ${value}`,
  },
  history: {
    none: 'No plan yet.',
    version: labels.planVersion,
    by: labels.planBy,
    accepted: 'accepted',
    rejected: 'rejected',
    replaced: 'replaced',
    open: 'not accepted yet',
    reflected: (trigger: 'error' | 'interval' | 'evaluation', status: keyof typeof words.reflections) =>
      trigger === 'evaluation'
        ? labels.criteriaUnmet
        : `${labels.reflection} (${trigger}): ${words.reflections[status].toLowerCase()}`,
    now: (version: string, status: string) => `Current plan (${version}, ${status})`,
    changed: (reason: string, changes: string) => `${reason} (${changes})`,
  },
  replayed: {
    proved: (events: number, derived: number) =>
      `Verified ${countOf(events, 'event')} (${derived} recomputed).`,
    differs: (count: number) =>
      `${count === 1 ? "1 event doesn't" : `${count} events don't`} match what Dandori computes again:`,
    unproved: (count: number) =>
      `${countOf(count, 'event')} can't be verified, because a stored result is missing:`,
    upTo: (seq: number, events: number) => `At event ${seq} of ${events}`,
  },
  forked: {
    from: (run: string, seq: number) => `Forked from ${run} at event ${seq}.`,
    settled: (tasks: string) =>
      `Running at that event; the outcome is copied from the original run: ${tasks}`,
    later: labels.forkRepeats,
  },
  differing: {
    same: 'No differences.',
    common: (seq: number) => `Identical up to event ${seq}.`,
    kinds: { ...words.differences, time: `${labels.time} (not counted as a difference)` },
  },
  recorded: {
    from: (run: string) => `Saved from run ${run}. Run it with runCase of dandori/testing.`,
    inexact: (decisions: string) =>
      `The journal of this older run lacks the model's actions for these decisions: ${decisions}. Check that the test passes.`,
    unknown: (tools: string) => `Arguments aren't checked for tools that aren't connected: ${tools}`,
  },
};

export type HistoryTexts = typeof history;
