import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import type { Span } from '../../src/telemetry/export.ts';
import { createExporter, encodeSpans, spanIdOf, traceIdOf } from '../../src/telemetry/export.ts';
import { ambiguous, defineService } from '../../src/tools/service.ts';
import { openPlace } from '../cli/command.ts';
import { folderWith } from '../config/workspace.ts';
import { act, answer, openHome, say } from '../requirements/home.ts';
import { stand, take, until } from '../server/standing.ts';
import { type CollectedSpan, startCollector } from './collector.ts';

const SECRET = 'hush-hush-4715';
const GOAL = 'weather in the town of my aunt?';
const USAGE = { prompt_tokens: 120, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 20 } };

const telemetry = (url: string, more: object = {}) =>
  `telemetry: ${JSON.stringify({ endpoint: url, headers: { Authorization: `Bearer ${SECRET}` }, ...more })}\n`;

/** Does not come back the first time, and asks which of two towns. */
function flaky() {
  let calls = 0;
  return defineService({
    name: 'flaky',
    methods: {
      look: {
        description: 'Looks, the second time.',
        effect: 'read',
        trusted: true,
        input: z.object({ town: z.string() }),
        output: z.object({ seen: z.string() }),
        run: async ({ town }, { signal }) => {
          if (town.startsWith('Uji')) throw new Error(`no light in ${town}`);
          if (++calls === 1)
            await new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason)),
            );
          return { seen: town };
        },
      },
      choose: {
        description: 'Needs to know which.',
        effect: 'write',
        trusted: true,
        input: z.object({ town: z.string() }),
        output: z.object({ seen: z.string() }),
        run: ({ town }) => {
          if (town !== '?') return { seen: town };
          throw ambiguous({
            question: 'Which town?',
            options: [
              { label: 'Nara', value: 'Nara', args: { town: 'Nara' } },
              { label: 'Uji', value: 'Uji', args: { town: 'Uji' } },
            ],
          });
        },
      },
    },
  });
}

const PLANNED = 'execution: { mode: planned, retry: { attempts: 3, backoff: 0 } }\n';
/** For a call that never ends. */
const HASTY = 'execution: { mode: planned, task_timeout: 3s, retry: { attempts: 3, backoff: 0 } }\n';
const byName = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

describe('traces', () => {
  it('show a run as one trace: the agent, its model calls, every attempt at a tool, and what went wrong', async () => {
    await using collector = await startCollector();
    await using home = await openHome({
      yaml: `${HASTY}${telemetry(collector.url)}`,
      services: [flaky()],
      script: [
        { status: 503, retryAfter: 0 },
        {
          ...say([
            act('t1', 'travel.locate', { ip: '203.0.113.7' }),
            act('t2', 'flaky.look', { town: '${t1.city}' }),
          ]),
          usage: USAGE,
        },
        { ...answer('Sun over Kyoto.'), usage: USAGE },
      ],
    });
    const { run, outcome } = await home.dandori.run(GOAL, { userId: 'u-42' });
    expect(outcome).toBe('answered');
    await home.dandori.close();
    const { spans } = collector;
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(run)]));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const [agent] = byName(spans, 'invoke_agent dandori');
    expect(agent).toMatchObject({
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'dandori',
        'gen_ai.provider.name': 'openai-compatible',
        'gen_ai.request.model': 'scripted',
        'gen_ai.usage.input_tokens': 240,
        'gen_ai.usage.output_tokens': 60,
        'dandori.run': run,
        'dandori.outcome': 'answered',
        'user.id': 'u-42',
      },
    });
    expect(agent?.parentSpanId).toBeUndefined();
    expect(agent?.status).toBeUndefined();
    expect(agent?.events.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['dandori.plan_proposed', 'dandori.plan_approved', 'dandori.task_started']),
    );
    for (const span of spans.filter((one) => one !== agent)) {
      expect(span.parentSpanId).toBe(agent?.spanId);
      expect(span.startTimeUnixNano <= span.endTimeUnixNano).toBe(true);
      expect(span.endTimeUnixNano <= (agent?.endTimeUnixNano ?? '')).toBe(true);
    }
    expect(byName(spans, 'chat scripted')).toMatchObject([
      { kind: 3, attributes: { 'error.type': 'model_error', 'dandori.purpose': 'act' }, status: { code: 2 } },
      {
        kind: 3,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai-compatible',
          'gen_ai.request.model': 'scripted',
          'gen_ai.usage.input_tokens': 120,
          'gen_ai.usage.output_tokens': 30,
          'gen_ai.usage.cache_read.input_tokens': 20,
          'dandori.purpose': 'act',
        },
      },
      { attributes: { 'dandori.decision': 3 } },
    ]);
    expect(byName(spans, 'execute_tool travel.locate')).toMatchObject([
      {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'travel.locate',
          'gen_ai.tool.call.id': 't1#1',
          'dandori.attempt': 1,
          'dandori.effect': 'read',
        },
      },
    ]);
    expect(byName(spans, 'execute_tool flaky.look')).toMatchObject([
      { attributes: { 'dandori.attempt': 1, 'error.type': 'timeout' }, status: { code: 2 } },
      { attributes: { 'dandori.attempt': 2 } },
    ]);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'dandori', 'service.version': '0.3.0' });
    expect(collector.paths[0]).toBe('/v1/traces');
    expect(collector.headers[0]).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/json',
    });
    // No content: not the goal, not the arguments and results of tools, not why something failed.
    const sent = collector.bodies.join('\n');
    for (const said of [GOAL, 'aunt', '203.0.113.7', 'Kyoto', 'Sun over', SECRET, home.folder])
      expect(sent).not.toContain(said);
  });

  it('hold what was said where that is switched on, and secrets all the same not', async () => {
    await using collector = await startCollector();
    await using home = await openHome({
      yaml: `${PLANNED}${telemetry(collector.url, { content: true, service_name: 'agents' })}`,
      services: [flaky()],
      script: [
        say([act('t1', 'flaky.look', { town: 'Uji' }), act('t2', 'travel.weather', { city: SECRET })], {
          reasoning: 'look first',
        }),
        answer(`It is ${'far '.repeat(5_000)}`),
      ],
    });
    await home.dandori.run(`${GOAL} ${SECRET}`);
    await home.dandori.close();
    const { spans } = collector;
    const [agent] = byName(spans, 'invoke_agent dandori');
    expect(agent?.attributes['gen_ai.input.messages']).toContain(GOAL);
    expect(String(agent?.attributes['gen_ai.output.messages'])).toMatch(/It is far .*…/);
    expect(String(agent?.attributes['gen_ai.output.messages']).length).toBeLessThan(11_000);
    expect(byName(spans, 'chat scripted')[0]?.attributes['gen_ai.output.messages']).toContain('look first');
    expect(byName(spans, 'execute_tool flaky.look')[0]?.status?.message).toContain('no light in Uji');
    expect(byName(spans, 'execute_tool travel.weather')[0]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"city":"[secret]"}',
      'gen_ai.tool.call.result': '{"sky":"sun over [secret]"}',
    });
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'agents' });
    expect(collector.bodies.join('\n')).not.toContain(SECRET);
  });

  it('stay one where another process goes on with the run, and nothing is sent twice', async () => {
    await using collector = await startCollector();
    const yaml = `${PLANNED}${telemetry(collector.url)}`;
    await using home = await openHome({ yaml, services: [flaky()], script: [answer('Nara it is.')] });
    const tasks = [{ id: 't1', operation: 'flaky.choose', args: { town: '?' } }];
    const waiting = await home.dandori.run('go', { tasks });
    expect(waiting.outcome).toBe('waiting');
    await home.dandori.close();
    expect(byName(collector.spans, 'execute_tool flaky.choose')).toMatchObject([
      { attributes: { 'dandori.attempt': 1, 'dandori.outcome': 'asked' } },
    ]);
    const second = await home.reopen(yaml, { services: [flaky()] });
    await second.answer(waiting.run, 'q1', 'Nara');
    await second.drive(waiting.run);
    await second.close();
    const { spans } = collector;
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const [agent] = byName(spans, 'invoke_agent dandori');
    const [first] = await second.events(waiting.run);
    expect(Number(agent?.startTimeUnixNano) / 1e6).toBeCloseTo(first?.at ?? 0, 0);
    expect(agent?.events.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['dandori.question_asked', 'dandori.question_answered', 'dandori.run_resumed']),
    );
    expect(agent?.spanId).toBe(spanIdOf(waiting.run, 'life 1'));
    for (const span of spans) if (span !== agent) expect(span.parentSpanId).toBe(agent?.spanId);
  });

  it('lead from a fork to the run that it comes from, and tell only what the fork did itself', async () => {
    await using collector = await startCollector();
    await using home = await openHome({
      yaml: `${PLANNED}${telemetry(collector.url)}`,
      services: [flaky()],
      script: [answer('Nara it is.'), answer('Uji it is.')],
    });
    const { dandori } = home;
    const tasks = [{ id: 't1', operation: 'flaky.choose', args: { town: '?' } }];
    const { run } = await dandori.run('go', { tasks });
    await dandori.answer(run, 'q1', 'Nara');
    await dandori.drive(run);
    const forked = await dandori.fork(run, { answers: { q1: 'Uji' } });
    await dandori.drive(forked.run);
    await dandori.close();
    const own = collector.spans.filter(({ traceId }) => traceId === traceIdOf(forked.run));
    expect(byName(own, 'invoke_agent dandori')).toMatchObject([
      { links: [{ traceId: traceIdOf(run), spanId: spanIdOf(run, 'life 1') }] },
    ]);
    expect(byName(own, 'execute_tool flaky.choose')).toMatchObject([
      { attributes: { 'dandori.attempt': 2 } },
    ]);
  });

  it('name why a run failed and which limit it met; more budget is a second span of the same trace', async () => {
    await using collector = await startCollector();
    await using home = await openHome({
      yaml: `execution: { mode: adaptive, max_steps: 1 }\n${telemetry(collector.url)}`,
      script: [
        say([act('t1', 'travel.locate', { ip: 'a' })]),
        say([act('t2', 'answer', { text: 'so far', achieved: false })]),
        answer('whole'),
      ],
    });
    const { dandori } = home;
    const { run, outcome } = await dandori.run('go');
    expect(outcome).toBe('exhausted');
    await dandori.addBudget(run, { steps: 3 });
    expect((await dandori.drive(run)).outcome).toBe('answered');
    await dandori.close();
    const agents = byName(collector.spans, 'invoke_agent dandori');
    expect(agents).toMatchObject([
      {
        traceId: traceIdOf(run),
        attributes: { 'dandori.outcome': 'exhausted', 'dandori.limit': 'steps', 'error.type': 'exhausted' },
        status: { code: 2 },
      },
      { traceId: traceIdOf(run), attributes: { 'dandori.outcome': 'answered' } },
    ]);
    expect(agents[0]?.spanId).not.toBe(agents[1]?.spanId);
  });
});

describe('a collector that is dead, slow or full', () => {
  it('neither slows nor fails a run, and is told of once', async () => {
    const deaf = createServer(() => {});
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const { port } = deaf.address() as { port: number };
    for (const url of ['http://127.0.0.1:1', `http://127.0.0.1:${port}`]) {
      const troubles: string[] = [];
      await using home = await openHome({
        yaml: `${PLANNED}${telemetry(url)}`,
        script: [say([act('t1', 'travel.locate', { ip: 'a' })]), answer('done')],
        onUntraced: (detail) => troubles.push(detail),
      });
      expect(await home.run('go')).toMatchObject({ outcome: 'answered' });
      // Bounded: closing waits for the collector, and not for ever.
      await home.dandori.close();
      expect(troubles.length).toBeLessThanOrEqual(1);
      expect(troubles.join()).not.toContain(SECRET);
    }
    deaf.close();
  });

  it('gets again what may work later, and not what it refused', async () => {
    await using busy = await startCollector((response, index) => {
      response.statusCode = index < 2 ? 503 : 200;
      response.end('{}');
    });
    const retried = exporterTo(busy.url);
    retried.add(span(1));
    await until(() => (busy.spans.length > 0 ? true : undefined));
    expect(busy.bodies).toHaveLength(3);
    await retried.close();
    expect(retried.dropped).toBe(0);
    const troubles: string[] = [];
    await using strict = await startCollector((response) => {
      response.writeHead(400).end();
    });
    const refused = exporterTo(strict.url, { onTrouble: (detail: string) => troubles.push(detail) });
    for (let number = 0; number < 10; number++) refused.add(span(number));
    await refused.close();
    expect(refused.dropped).toBe(10);
    expect(troubles).toEqual(['HTTP 400']);
    expect(strict.bodies).toHaveLength(1);
  });

  it('lets a bounded number wait, in batches, and drops and counts the rest', async () => {
    const gate = Promise.withResolvers<void>();
    await using slow = await startCollector((response) => void gate.promise.then(() => response.end('{}')));
    const exporter = exporterTo(slow.url, { limits: { ...LIMITS, queue: 100, batch: 40 } });
    for (let number = 0; number < 500; number++) exporter.add(span(number));
    expect(exporter.dropped).toBeGreaterThanOrEqual(360);
    await until(() => (slow.bodies.length > 0 ? true : undefined));
    gate.resolve();
    await exporter.close();
    expect(slow.spans.length + exporter.dropped).toBe(500);
    expect(slow.bodies.length).toBeGreaterThan(1);
  });

  it('gets no key that was meant for another one: a redirect is not followed', async () => {
    await using other = await startCollector();
    await using first = await startCollector((response) => {
      response.writeHead(307, { Location: `${other.url}/v1/traces` }).end();
    });
    const exporter = exporterTo(first.url);
    exporter.add(span(1));
    await exporter.close();
    expect(other.bodies).toEqual([]);
    expect(exporter.dropped).toBe(1);
  });
});

describe('where traces go', () => {
  const load = async (yaml: string, env: Record<string, string> = {}) =>
    loadConfig({ cwd: await folderWith({ 'dandori.yaml': yaml }), env });
  const ENV = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b-4711,Authorization=Bearer abc-123-xyz, broken',
  };

  it('is sent nowhere unless it is configured', async () => {
    expect((await load('{}')).telemetry).toBeUndefined();
    expect((await load('{}', { OTEL_EXPORTER_OTLP_ENDPOINT: '' })).telemetry).toBeUndefined();
    expect((await load('{}', { OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense' })).telemetry).toBeUndefined();
    expect((await load('{}', { ...ENV, OTEL_SDK_DISABLED: 'true' })).telemetry).toBeUndefined();
  });

  it('is what the standard variables say, and the file says it better', async () => {
    const config = await load('{}', { ...ENV, OTEL_SERVICE_NAME: 'shop' });
    expect(config.telemetry).toEqual({
      url: 'http://collector:4318/v1/traces',
      headers: { 'x-key': 'a b-4711', Authorization: 'Bearer abc-123-xyz' },
      content: false,
      serviceName: 'shop',
    });
    expect(config.secrets).toEqual(expect.arrayContaining(['a b-4711', 'abc-123-xyz']));
    const whole = { ...ENV, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/custom' };
    expect((await load('{}', whole)).telemetry?.url).toBe('http://t:1/custom');
    const file = await load(
      'telemetry: { endpoint: "https://x.example/otlp", headers: { K: "${MY_KEY}" } }',
      { ...ENV, MY_KEY: 'key-99-key' },
    );
    expect(file.telemetry).toMatchObject({
      url: 'https://x.example/otlp/v1/traces',
      headers: { K: 'key-99-key' },
    });
    expect(file.secrets).toContain('key-99-key');
    await expect(load('telemetry: { endpoint: "ftp://x" }')).rejects.toMatchObject({
      code: 'config-invalid',
    });
    await expect(load('telemetry: { endpoint: "http://u:p@x" }')).rejects.toMatchObject({
      message: expect.stringContaining('telemetry.headers'),
    });
  });

  it('is where `dandori run` and the server send theirs too', async () => {
    await using collector = await startCollector();
    await using place = await openPlace({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await place.write('dandori.yaml', 'mcpServers: { calc: { shipped: calc } }\n');
    expect((await place.dandori('run', '100 + 200を計算')).code).toBe(0);
    expect(collector.spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'invoke_agent dandori',
        'decide',
        expect.stringContaining('execute_tool calc.'),
      ]),
    );
    const before = collector.spans.length;
    const standing = await stand({ telemetry: { endpoint: collector.url } });
    const run = await standing.client.start('bread', { tasks: [take('bread')] });
    await standing.client.settled(run);
    await standing[Symbol.asyncDispose]();
    expect(collector.spans.slice(before).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['execute_tool shop.take', 'invoke_agent dandori']),
    );
  });
});

const LIMITS = { delay: 5, timeoutMs: 60_000, patience: 120_000 };

function exporterTo(url: string, more: object = {}) {
  const named = { resource: { 'service.name': 'test' }, version: '0' };
  return createExporter({
    url: `${url}/v1/traces`,
    headers: { Authorization: SECRET },
    encode: (spans) => encodeSpans(spans, named),
    limits: LIMITS,
    ...more,
  });
}

function span(number: number): Span {
  return {
    traceId: traceIdOf('r'),
    spanId: spanIdOf('r', String(number)),
    name: `span ${number}`,
    kind: 'internal',
    start: Date.now() - 5,
    end: Date.now(),
    attributes: { number, half: 0.5, yes: true, none: undefined },
  };
}
