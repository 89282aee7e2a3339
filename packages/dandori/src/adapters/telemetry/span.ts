import { createHash } from 'node:crypto';

/** What OpenTelemetry calls a span: something that was done, from when to when, and as part of what. */
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
  /** Events that were too many. */
  readonly droppedEvents?: number;
  /** Other traces that this one comes from. */
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
 * From the run alone: a run that is gone on with in another process, or on another machine, stays one trace, and nobody
 * has to write down which.
 */
export function traceIdOf(run: string): string {
  return hash(run, 32);
}

/** `part` is what the span stands for within the run. */
export function spanIdOf(run: string, part: string): string {
  return hash(`${run}\n${part}`, 16);
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
