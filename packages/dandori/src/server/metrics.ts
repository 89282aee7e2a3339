import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { assertNever } from '../model/error.ts';
import type { Event } from '../model/event.ts';

/** Counts what this process has done since it started, in the format of Prometheus. */
export interface Metrics {
  event(event: Event): void;
  /**
   * False if the run's earlier events are still needed (`past`): its start time and the operations of its
   * tasks.
   */
  knows(run: string): boolean;
  past(events: readonly Event[]): void;
  rated(rating: number): void;
  /** A run could not be driven, or the runs could not be listed. */
  failed(what: 'drive' | 'list'): void;
  request(route: string, status: number, seconds: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

interface Gauges {
  readonly driving: () => number;
  readonly queued: () => number;
  readonly retrying: () => number;
  readonly clients: () => number;
  readonly dropped: () => number;
}

const SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 5, 20, 60, 300, 1800];
/** The most runs to remember. A run is forgotten when it ends. */
const MOST_KEPT = 10_000;

interface Underway {
  readonly startedAt: number;
  readonly operations: Map<string, string>;
  revisions: number;
}

export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'dandori_' });
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `dandori_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[] = [], buckets = SECONDS) =>
    new Histogram({ name: `dandori_${name}`, help, labelNames, buckets, registers });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `dandori_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });

  const finished = counter('runs_finished_total', 'Runs that ended, by outcome', ['outcome']);
  const completion = { answered: 0, ended: 0 };
  gauge('completion_ratio', 'Answered, of the runs that ended', () =>
    completion.ended === 0 ? Number.NaN : completion.answered / completion.ended,
  );
  const revisions = histogram('run_revisions', 'Plan revisions a run', [], [0, 1, 2, 3, 5, 10]);
  const runSeconds = histogram('run_seconds', 'From the start of a run to its end', ['outcome']);
  const modelCalls = counter('model_calls_total', 'Calls of the mind', ['outcome']);
  const modelSeconds = histogram('model_call_seconds', 'How long a call of the mind took');
  const tokens = counter('tokens_total', 'Tokens of model calls', ['direction']);
  const cost = counter('cost_dollars_total', 'US dollars of model calls whose price is known');
  const toolCalls = counter('tool_calls_total', 'Attempts, by tool', ['tool']);
  const toolErrors = counter('tool_errors_total', 'Attempts that failed or are in doubt', ['tool', 'kind']);
  const timeouts = counter('timeouts_total', 'Attempts that took longer than they may', ['tool']);
  const toolSeconds = histogram('tool_call_seconds', 'How long a call of a tool took', ['tool']);
  const ratings = histogram(
    'run_rating',
    'What people think of runs; a rating that is changed counts again',
    [],
    [1, 2, 3, 4, 5],
  );
  const requests = histogram('http_request_seconds', 'How long an answer took', ['route', 'status']);
  gauge('runs_driving', 'Runs that are driven now', gauges.driving);
  gauge('runs_queued', 'Runs that wait for a driver', gauges.queued);
  gauge('runs_retrying', 'Runs that could not be driven and are tried again', gauges.retrying);
  const failures = counter('driving_failures_total', 'Runs that could not be driven, and lists not read', [
    'what',
  ]);
  gauge('stream_clients', 'Clients that follow a run', gauges.clients);
  gauge('stream_clients_dropped', 'Clients that were too slow and let go', gauges.dropped);

  const underway = new Map<string, Underway>();

  function of({ run, at }: Event): Underway {
    const known = underway.get(run);
    if (known !== undefined) return known;
    const begun = { startedAt: at, operations: new Map<string, string>(), revisions: 0 };
    underway.set(run, begun);
    const [oldest] = underway.keys();
    if (underway.size > MOST_KEPT && oldest !== undefined) underway.delete(oldest);
    return begun;
  }

  function event(event: Event): void {
    const toolOf = (task: string) => of(event).operations.get(task) ?? 'unknown';
    switch (event.type) {
      case 'plan_revised':
        of(event).revisions++;
        noteTasks(event.data.tasks, of(event));
        return;
      case 'plan_proposed':
        noteTasks(event.data.tasks, of(event));
        return;
      case 'decision_made':
      case 'decision_failed': {
        const { usage, ms } = event.data;
        modelCalls.inc({ outcome: event.type === 'decision_made' ? 'decided' : 'failed' });
        modelSeconds.observe(ms / 1000);
        if (usage === undefined) return;
        tokens.inc({ direction: 'input' }, usage.inputTokens);
        tokens.inc({ direction: 'output' }, usage.outputTokens);
        if (usage.cost !== undefined) cost.inc(usage.cost);
        return;
      }
      case 'task_started':
        toolCalls.inc({ tool: toolOf(event.data.task) });
        return;
      case 'task_succeeded':
        toolSeconds.observe({ tool: toolOf(event.data.task) }, event.data.ms / 1000);
        return;
      case 'task_failed': {
        const tool = toolOf(event.data.task);
        const { kind } = event.data.failure;
        toolSeconds.observe({ tool }, event.data.ms / 1000);
        toolErrors.inc({ tool, kind });
        if (kind === 'timeout') timeouts.inc({ tool });
        return;
      }
      case 'task_in_doubt': {
        const tool = toolOf(event.data.task);
        toolErrors.inc({ tool, kind: 'in_doubt' });
        if (event.data.cause === 'timeout') timeouts.inc({ tool });
        return;
      }
      case 'run_finished': {
        const { outcome } = event.data;
        const { startedAt, revisions: made } = of(event);
        finished.inc({ outcome });
        completion.ended++;
        if (outcome === 'answered') completion.answered++;
        runSeconds.observe({ outcome }, (event.at - startedAt) / 1000);
        revisions.observe(made);
        underway.delete(event.run);
        return;
      }
      case 'run_started':
      case 'run_resumed':
      case 'decision_started':
      case 'reflection_made':
      case 'plan_approved':
      case 'plan_rejected':
      case 'inner_call_started':
      case 'inner_call_ended':
      case 'probe_started':
      case 'probe_ended':
      case 'question_asked':
      case 'hold_ended':
      case 'answer_applied':
      case 'question_answered':
      case 'question_expired':
      case 'note_added':
      case 'run_paused':
      case 'run_continued':
      case 'limit_reached':
      case 'budget_added':
      case 'cancel_requested':
      case 'run_rated':
        of(event);
        return;
      default:
        assertNever(event);
    }
  }

  function past(events: readonly Event[]): void {
    for (const event of events) {
      const run = of(event);
      if (event.type === 'plan_revised') run.revisions++;
      if (event.type === 'plan_proposed' || event.type === 'plan_revised') noteTasks(event.data.tasks, run);
    }
  }

  return {
    event,
    knows: (run) => underway.has(run),
    past,
    rated: (rating) => ratings.observe(rating),
    failed: (what) => failures.inc({ what }),
    request: (route, status, seconds) => requests.observe({ route, status: String(status) }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function noteTasks(tasks: readonly { id: string; operation: string }[], { operations }: Underway): void {
  for (const { id, operation } of tasks) operations.set(id, operation);
}
