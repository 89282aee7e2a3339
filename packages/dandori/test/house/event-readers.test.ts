import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FactType } from '../../src/model/event.ts';

const PACKAGES = join(import.meta.dirname, '../../..');

/**
 * Files that read only some events on purpose. Every other switch over events is complete, and `tsc` fails if
 * an event is missing there.
 */
const READERS = {
  metrics: 'dandori/src/server/metrics.ts',
  trace: 'dandori/src/telemetry/run-trace.ts',
  statistics: 'dandori/src/history/statistics.ts',
  'fork-point': 'dandori/src/history/fork-point.ts',
  fork: 'dandori/src/history/fork.ts',
  'plan-history': 'dandori/src/history/plan-history.ts',
  listed: 'dandori/src/store/journal.ts',
  replies: 'dandori/src/conversation/reports.ts',
  trust: 'dandori/src/views/trust-report.ts',
  graph: 'web/src/run/graph/graph.tsx',
  landmarks: 'web/src/run/past/landmarks.ts',
  timeline: 'web/src/run/timeline/bars.ts',
  attempts: 'web/src/run/tasks/attempts.ts',
  decisions: 'web/src/run/decisions/decision-entries.ts',
  thread: 'web/src/run/answer/thread.ts',
};

/** Who reads each event. `tsc` fails here if an event is missing, so its author looks at every reader. */
const READ_BY: Readonly<Record<FactType, string>> = {
  run_started: 'trace fork-point fork listed thread',
  run_resumed: 'trace timeline',
  decision_started: 'trace plan-history timeline decisions',
  decision_made: 'metrics trace fork-point plan-history replies landmarks timeline decisions',
  decision_failed: 'metrics trace landmarks timeline decisions',
  reflection_made: 'trace fork-point plan-history replies',
  plan_proposed: 'metrics trace fork-point plan-history graph',
  plan_revised: 'metrics trace fork-point plan-history graph',
  plan_approved: 'trace fork-point plan-history graph timeline',
  plan_rejected: 'trace plan-history graph landmarks',
  task_started: 'metrics trace statistics fork-point fork trust landmarks timeline attempts',
  task_succeeded: 'metrics trace fork-point timeline attempts',
  task_failed: 'metrics trace statistics fork-point landmarks timeline attempts',
  task_in_doubt: 'metrics trace statistics fork-point listed landmarks timeline attempts',
  inner_call_started: 'fork attempts',
  inner_call_ended: 'fork attempts',
  probe_started: 'trace timeline attempts',
  probe_ended: 'trace timeline attempts',
  preview_started: '',
  preview_ended: 'trace',
  call_approved: '',
  question_asked: 'trace fork-point fork listed replies trust graph landmarks timeline attempts thread',
  hold_ended: 'listed',
  question_answered: 'trace fork trust graph timeline',
  question_expired: 'trace fork trust graph timeline',
  answer_applied: '',
  note_added: 'trace decisions thread',
  run_paused: 'trace listed thread',
  run_continued: 'trace thread',
  limit_reached: 'trace',
  budget_added: 'trace fork thread',
  cancel_requested: 'trace fork thread',
  run_finished: 'metrics trace fork replies landmarks timeline',
  run_rated: 'trace',
};

const textOf = (file: string) =>
  readFileSync(join(PACKAGES, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

describe('an event', () => {
  it('is read where the table says, so that a new one is not missing in a metric, a trace or the page', () => {
    const found = Object.keys(READ_BY).map((event) => [
      event,
      Object.entries(READERS)
        .filter(([, file]) => new RegExp(`'${event}'|^\\s+${event}(?=[:(,])`, 'm').test(textOf(file)))
        .map(([reader]) => reader)
        .join(' '),
    ]);
    expect(Object.fromEntries(found)).toEqual(READ_BY);
  });

  it('is not read in part by a file that the table does not know', () => {
    const sources = ['dandori/src', 'web/src'].flatMap((folder) =>
      readdirSync(join(PACKAGES, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    const partial = sources.filter((file) => textOf(file).includes('handleFact(event,'));
    expect(partial).not.toEqual([]);
    expect(partial.filter((file) => !Object.values(READERS).includes(file))).toEqual([]);
  });
});
