import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** The JSON form of OTLP, and nothing but it. */
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const nanoseconds = z.string().regex(/^\d{19}$/);
const traceId = z.string().regex(/^[0-9a-f]{32}$/);
const spanId = z.string().regex(/^[0-9a-f]{16}$/);
const span = z.strictObject({
  traceId,
  spanId,
  parentSpanId: spanId.optional(),
  name: z.string().min(1),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  events: z.array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string(), attributes })),
  droppedEventsCount: z.number().int().optional(),
  links: z.array(z.strictObject({ traceId, spanId })),
  status: z.strictObject({ code: z.literal(2), message: z.string().optional() }).optional(),
});
const request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span).min(1),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan extends Omit<z.infer<typeof span>, 'attributes' | 'events'> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

/** A collector behind real HTTP, which takes nothing that is not OTLP. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly resources: Readonly<Record<string, unknown>>[];
  readonly headers: IncomingHttpHeaders[];
  readonly paths: (string | undefined)[];
  /** Everything that came, as it came. */
  readonly bodies: string[];
}

export async function startCollector(
  answer: (response: ServerResponse, index: number) => void = (response) => response.end('{}'),
): Promise<Collector> {
  const collected: Pick<Collector, 'spans' | 'resources' | 'headers' | 'paths' | 'bodies'> = {
    spans: [],
    resources: [],
    headers: [],
    paths: [],
    bodies: [],
  };
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const part of incoming.setEncoding('utf8')) body += part;
    collected.headers.push(incoming.headers);
    collected.paths.push(incoming.url);
    collected.bodies.push(body);
    answer(response, collected.bodies.length - 1);
    if (response.statusCode !== 200) return;
    for (const { resource, scopeSpans } of request.parse(JSON.parse(body)).resourceSpans) {
      collected.resources.push(record(resource.attributes));
      for (const { spans } of scopeSpans)
        for (const { attributes: own, events, ...rest } of spans)
          collected.spans.push({
            ...rest,
            attributes: record(own),
            events: events.map((event) => ({ name: event.name, attributes: record(event.attributes) })),
          });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...collected,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function record(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value: given }) => {
      const [[kind, one] = []] = Object.entries(given);
      return [key, kind === 'intValue' ? Number(one) : one];
    }),
  );
}
