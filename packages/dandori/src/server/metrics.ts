import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Event } from '../model/event.ts';
import { type FactHandlers, handleFact } from '../model/event-kinds.ts';

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
  /** The same as data, for the process that gives the text of several. */
  counted(): Promise<object>;
  readonly contentType: string;
}

interface Gauges {
  readonly driving: () => number;
  readonly queued: () => number;
  readonly retrying: () => number;
  readonly clients: () => number;
  readonly dropped: () => number;
  /** A label of all metrics, if several processes share a store. */
  readonly worker?: string;
  /** What other processes have counted, to be given together with this one. */
  readonly others?: (() => Promise<readonly object[]>) | undefined;
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
  if (gauges.worker !== undefined) registry.setDefaultLabels({ worker: gauges.worker });
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
  const revisions = histogram('run_revisions', 'Plan revisions per run', [], [0, 1, 2, 3, 5, 10]);
  const runSeconds = histogram('run_seconds', 'From the start of a run to its end', ['outcome']);
  const modelCalls = counter('model_calls_total', 'Model calls', ['outcome']);
  const modelSeconds = histogram('model_call_seconds', 'Duration of a model call');
  const tokens = counter('tokens_total', 'Tokens of model calls', ['direction']);
  const cost = counter('cost_dollars_total', 'US dollars of model calls whose price is known');
  const toolCalls = counter('tool_calls_total', 'Attempts, by tool', ['tool']);
  const toolErrors = counter('tool_errors_total', 'Attempts that failed or are in doubt', ['tool', 'kind']);
  const timeouts = counter('timeouts_total', 'Attempts that timed out', ['tool']);
  const toolSeconds = histogram('tool_call_seconds', 'Duration of a tool call', ['tool']);
  const ratings = histogram(
    'run_rating',
    'Ratings of runs. A changed rating counts again',
    [],
    [1, 2, 3, 4, 5],
  );
  const requests = histogram('http_request_seconds', 'Duration of a request', ['route', 'status']);
  gauge('runs_driving', 'Runs that are running now', gauges.driving);
  gauge('runs_queued', 'Runs in the queue', gauges.queued);
  gauge('runs_retrying', 'Runs that could not be resumed and are retried', gauges.retrying);
  const failures = counter(
    'driving_failures_total',
    'Runs that could not be resumed, and lists that could not be read',
    ['what'],
  );
  gauge('stream_clients', 'Clients that follow a run', gauges.clients);
  gauge(
    'stream_clients_dropped',
    'Clients that were disconnected because they were too slow',
    gauges.dropped,
  );

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

  const toolOf = (event: Event & { data: { task: string } }) =>
    of(event).operations.get(event.data.task) ?? 'unknown';

  function modelCalled({ type, data }: Event & { type: 'decision_made' | 'decision_failed' }): void {
    const { usage, ms } = data;
    modelCalls.inc({ outcome: type === 'decision_made' ? 'decided' : 'failed' });
    modelSeconds.observe(ms / 1000);
    if (usage === undefined) return;
    tokens.inc({ direction: 'input' }, usage.inputTokens);
    tokens.inc({ direction: 'output' }, usage.outputTokens);
    if (usage.cost !== undefined) cost.inc(usage.cost);
  }

  const counting: FactHandlers<void> = {
    plan_revised: (event) => note(event, of(event)),
    plan_proposed: (event) => note(event, of(event)),
    decision_made: modelCalled,
    decision_failed: modelCalled,
    task_started: (event) => toolCalls.inc({ tool: toolOf(event) }),
    task_succeeded: (event) => toolSeconds.observe({ tool: toolOf(event) }, event.data.ms / 1000),
    task_failed(event) {
      const tool = toolOf(event);
      const { kind } = event.data.failure;
      toolSeconds.observe({ tool }, event.data.ms / 1000);
      toolErrors.inc({ tool, kind });
      if (kind === 'timeout') timeouts.inc({ tool });
    },
    task_in_doubt(event) {
      const tool = toolOf(event);
      toolErrors.inc({ tool, kind: 'in_doubt' });
      if (event.data.cause === 'timeout') timeouts.inc({ tool });
    },
    run_finished(event) {
      const { outcome } = event.data;
      const { startedAt, revisions: made } = of(event);
      finished.inc({ outcome });
      completion.ended++;
      if (outcome === 'answered') completion.answered++;
      runSeconds.observe({ outcome }, (event.at - startedAt) / 1000);
      revisions.observe(made);
      underway.delete(event.run);
    },
  };

  function event(event: Event): void {
    of(event);
    handleFact(event, counting);
  }

  function past(events: readonly Event[]): void {
    for (const event of events) note(event, of(event));
  }

  return {
    event,
    knows: (run) => underway.has(run),
    past,
    rated: (rating) => ratings.observe(rating),
    failed: (what) => failures.inc({ what }),
    request: (route, status, seconds) => requests.observe({ route, status: String(status) }, seconds),
    async text() {
      const others = (await gauges.others?.()) ?? [];
      if (others.length === 0) return registry.metrics();
      return AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...others]).metrics();
    },
    counted: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

function note({ type, data }: Event, run: Underway): void {
  if (type !== 'plan_proposed' && type !== 'plan_revised') return;
  if (type === 'plan_revised') run.revisions++;
  for (const { id, operation } of data.tasks) run.operations.set(id, operation);
}
