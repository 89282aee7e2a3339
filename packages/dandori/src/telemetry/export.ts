import { createHash } from 'node:crypto';
import { stringifyJson } from '../model/json.ts';

/**
 * Sends spans to a collector in batches.
 *
 * E1  Only the caller of `close` waits for it, and only for a limited time.
 * E2  It never throws, and its queue is bounded. If the collector cannot keep up, spans are dropped and
 *     counted.
 * E3  It sends one request at a time. It retries a request that may work later, and drops one that was
 *     refused.
 */
export interface Exporter {
  add(span: Span): void;
  /** Resolves when everything is sent, or when `patience` has passed. */
  close(): Promise<void>;
  readonly dropped: number;
}

export interface ExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly encode: (spans: readonly Span[]) => string;
  /** Called once per problem, and again when the problem changes. */
  readonly onTrouble?: (detail: string) => void;
  readonly limits?: Partial<Limits>;
}

interface Limits {
  readonly queue: number;
  readonly batch: number;
  /** Milliseconds that spans wait for others, to be sent in one batch. */
  readonly delay: number;
  /** Milliseconds until the collector must have answered. */
  readonly timeoutMs: number;
  /** Milliseconds for sending the last spans on close. */
  readonly patience: number;
}

const LIMITS: Limits = { queue: 4_096, batch: 256, delay: 1_000, timeoutMs: 10_000, patience: 2_000 };
/** A batch is dropped after this many failures in a row. Each delay is twice the one before. */
const ATTEMPTS = 5;
const LATER = [408, 425, 429, 502, 503, 504];

export function createExporter(options: ExporterOptions): Exporter {
  const { url, headers, encode, onTrouble } = options;
  const limits = { ...LIMITS, ...options.limits };
  const queue: Span[] = [];
  /** Aborted on close: each batch is then sent once more, without retries. */
  const closing = new AbortController();
  const stopping = new AbortController();
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let told: string | undefined;

  function add(span: Span): void {
    if (closing.signal.aborted || queue.length >= limits.queue) {
      dropped++;
      return;
    }
    queue.push(span);
    if (queue.length >= limits.batch) send();
    else timer ??= setTimeout(send, limits.delay).unref();
  }

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0 && !stopping.signal.aborted) {
      const batch = queue.splice(0, limits.batch);
      if (!(await deliver(batch))) dropped += batch.length;
    }
  }

  async function deliver(batch: readonly Span[]): Promise<boolean> {
    const body = encode(batch);
    for (let attempt = 1; ; attempt++) {
      const answer = await post(body);
      if (answer.isTaken) {
        told = undefined;
        return true;
      }
      if (answer.detail !== told && !stopping.signal.aborted) onTrouble?.(answer.detail);
      told = answer.detail;
      if (!answer.mayWorkLater || attempt === ATTEMPTS || closing.signal.aborted) return false;
      await pause(limits.delay * 2 ** (attempt - 1));
    }
  }

  async function post(body: string): Promise<Answer> {
    try {
      // A redirect is not followed: it would send the headers, and a key in them, to another address.
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-type': 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(limits.timeoutMs)]),
      });
      await response.body?.cancel();
      const { status } = response;
      if (status >= 200 && status < 300) return { isTaken: true };
      return { isTaken: false, mayWorkLater: LATER.includes(status), detail: `HTTP ${status}` };
    } catch (error) {
      return { isTaken: false, mayWorkLater: true, detail: reasonOf(error, limits.timeoutMs) };
    }
  }

  /** The timer does not keep the process alive. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        clearTimeout(waiting);
        closing.signal.removeEventListener('abort', over);
        resolve();
      };
      const waiting = setTimeout(over, ms).unref();
      closing.signal.addEventListener('abort', over);
    });
  }

  return {
    add,
    async close() {
      closing.abort();
      const patience = setTimeout(() => stopping.abort(), limits.patience);
      await sending;
      await send();
      clearTimeout(patience);
      stopping.abort();
      dropped += queue.splice(0).length;
    },
    get dropped() {
      return dropped;
    },
  };
}

type Answer =
  | { readonly isTaken: true }
  | { readonly isTaken: false; readonly mayWorkLater: boolean; readonly detail: string };

/** Returns only the code: a message may quote the address or a header. */
function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { code } = (cause ?? error) as { code?: unknown };
  return typeof code === 'string' ? code : 'the request could not be made';
}

const KINDS = { internal: 1, client: 3 } as const;
const ERROR = 2;

/** The body of a request to `/v1/traces`, in OTLP's JSON form: ids in hex, times in nanoseconds as text. */
export function encodeSpans(
  spans: readonly Span[],
  { resource, version }: { readonly resource: Attributes; readonly version: string },
): string {
  return stringifyJson({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'dandori', version }, spans: spans.map(encode) }],
      },
    ],
  });
}

function encode(span: Span) {
  const { traceId, spanId, parentSpanId, name, events = [], links = [], droppedEvents, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(Math.min(span.start, span.end)),
    endTimeUnixNano: nanoseconds(span.end),
    attributes: attributesOf(span.attributes),
    events: events.map((event) => ({
      timeUnixNano: nanoseconds(event.at),
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    ...(droppedEvents !== undefined && { droppedEventsCount: droppedEvents }),
    links,
    ...(error !== undefined && { status: { code: ERROR, ...error } }),
  };
}

/** A text, because the value is too large for an exact number. */
function nanoseconds(at: number): string {
  return String(BigInt(Math.round(at * 1_000)) * 1_000n);
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodedValue(value) }],
  );
}

function encodedValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A span as OpenTelemetry defines it: an operation with a start, an end and a parent. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** Milliseconds since 1970, as in the journal. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events?: readonly SpanEvent[];
  /** The number of events that were dropped because the span had too many. */
  readonly droppedEvents?: number;
  /** Other traces that this trace comes from. */
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly error?: { readonly message?: string };
}

export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Derived from the run id alone. So a run that is resumed in another process or on another machine stays one
 * trace, and the id need not be stored.
 */
export function traceIdOf(run: string): string {
  return hash(run, 32);
}

/** `part` names what the span represents within the run. */
export function spanIdOf(run: string, part: string): string {
  return hash(`${run}\n${part}`, 16);
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
