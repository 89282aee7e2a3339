import { stringifyJson } from '../../domain/json-text.ts';
import type { Attributes, Span } from './span.ts';

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

/** Not as a number: it would be beyond what one can hold exactly. */
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
