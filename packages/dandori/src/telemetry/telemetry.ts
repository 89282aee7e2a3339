import type { Event } from '../model/event.ts';
import type { Journal } from '../store/index.ts';
import { createExporter, type Exporter, type ExporterOptions, encodeSpans } from './export.ts';
import { createRunTrace, type RunTrace } from './run-trace.ts';

export interface TelemetryOptions extends Pick<ExporterOptions, 'url' | 'headers' | 'onTrouble' | 'limits'> {
  readonly serviceName: string;
  readonly version: string;
  /** Whether content is sent too: what people, models and tools said. */
  readonly content: boolean;
  readonly journal: Pick<Journal, 'read'>;
}

/** Reports to a collector what this process does. It never affects a run. */
export interface Telemetry extends Pick<Exporter, 'dropped' | 'close'> {
  event(event: Event): void;
}

/** The number of runs to follow at once. If a run was forgotten, its past is read again. */
const MOST_KEPT = 1_000;
/** The number of events to queue while the past of their run is read. */
const MOST_WAITING = 10_000;

interface Followed {
  readonly trace: RunTrace;
  /** Events that arrived while the past was being read; undefined once it is read. */
  waiting: Event[] | undefined;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { serviceName, version, content, journal } = options;
  const resource = {
    'service.name': serviceName,
    'service.version': version,
    'telemetry.sdk.name': 'dandori',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
  };
  const exporter = createExporter({
    ...options,
    encode: (spans) => encodeSpans(spans, { resource, version }),
  });
  const followed = new Map<string, Followed>();
  const reading = new Set<Promise<void>>();

  function event(event: Event): void {
    const known = followed.get(event.run);
    if (known === undefined) {
      const work = begin(event);
      reading.add(work);
      void work.finally(() => reading.delete(work));
    } else if (known.waiting === undefined) take(event, known);
    else if (known.waiting.length < MOST_WAITING) known.waiting.push(event);
  }

  /** Reads the events that were written before, by another process. Their spans are not sent again. */
  async function begin(first: Event): Promise<void> {
    const { run } = first;
    const one: Followed = { trace: createRunTrace(run, { content }), waiting: [first] };
    followed.set(run, one);
    const [oldest] = followed.keys();
    if (followed.size > MOST_KEPT && oldest !== undefined) followed.delete(oldest);
    try {
      const past = first.seq === 1 ? [] : await journal.read(run);
      for (const event of past) if (event.seq < first.seq) one.trace.take(event);
    } catch {
      followed.delete(run);
      return;
    }
    const { waiting = [] } = one;
    one.waiting = undefined;
    for (const event of waiting) take(event, one);
  }

  function take(event: Event, { trace }: Followed): void {
    for (const span of trace.take(event)) exporter.add(span);
    if (event.type === 'run_finished') followed.delete(event.run);
  }

  return {
    event,
    async close() {
      await Promise.all(reading);
      await exporter.close();
    },
    get dropped() {
      return exporter.dropped;
    },
  };
}
