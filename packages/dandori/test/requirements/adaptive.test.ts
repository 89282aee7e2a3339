import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../src/mind/prompts/read.ts';
import type { Json } from '../../src/model/json.ts';
import type { Mode } from '../../src/model/settings.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import type { ModelReply } from '../../src/testing/model-server/index.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { openPlace } from '../cli/command.ts';
import { act, answer, facts, openHome, own, say, told } from './home.ts';

const locate = (id: string, ip = '203.0.113.7', more = {}) => act(id, 'travel.locate', { ip }, more);
const ADAPTIVE = 'execution: { mode: adaptive, retry: { backoff: 1ms } }\n';
const PLANNED = 'execution: { mode: planned, retry: { backoff: 1ms } }\n';

describe('Working step by step (docs/REQUIREMENTS.md, A)', () => {
  it('one switch in the file chooses the way of working, the old key too, and going back is a change of it (A1)', async () => {
    await using home = await openHome({ script: () => answer('ok') });
    const modeOf = async (yaml: string): Promise<Mode> => {
      const dandori = await home.reopen(yaml);
      const { run } = await dandori.run('go');
      const [started] = facts(await dandori.events(run), 'run_started');
      const mode = started?.settings.mode ?? 'auto';
      expect(home.model.requests.at(-1)?.promptText).toContain(readPrompt(`mode-${mode}`));
      return mode;
    };
    for (const mode of ['auto', 'direct', 'adaptive', 'planned', 'hierarchical'] as const)
      expect(await modeOf(`execution: { mode: ${mode} }\n`)).toBe(mode);
    expect(await modeOf('execution: { adaptive_mode: true }\n')).toBe('adaptive');
    expect(await modeOf('execution: { adaptive_mode: false }\n')).toBe('planned');
    expect(await modeOf('')).toBe('auto');
  });

  it('a request that needs no tool is answered at once, in the same model call that judged it (A2)', async () => {
    for (const mode of ['auto', 'adaptive', 'planned']) {
      await using home = await openHome({
        script: [answer('Hello!')],
        yaml: `execution: { mode: ${mode} }\n`,
      });
      expect(await home.run('Say hello')).toMatchObject({
        outcome: 'answered',
        answer: 'Hello!',
        usage: { modelCalls: 1 },
      });
      expect(home.model.requests).toHaveLength(1);
    }
  });

  it('at each turn of the adaptive loop the model sees the goal, the results and why it acted, and goes on or ends (A3)', async () => {
    await using home = await openHome({
      yaml: ADAPTIVE,
      script: [
        say([locate('t1', '203.0.113.7', { description: 'find the place' })], {
          reasoning: 'the place must be known first',
          expect: 'How is the weather there?',
        }),
        say([act('t2', 'travel.weather', { city: 'Kyoto 203.0.113.7' })], {
          expect: ({ promptText }) => {
            for (const part of [
              'How is the weather there?',
              'the place must be known first',
              'Kyoto 203.0.113.7',
            ])
              expect(promptText).toContain(part);
          },
        }),
        answer('Sun.', { expect: /How is the weather there\?[\s\S]*sun over Kyoto/ }),
      ],
    });
    expect(await home.run('How is the weather there?')).toMatchObject({
      outcome: 'answered',
      answer: 'Sun.',
    });
    expect(home.calls.map(({ operation, input }) => [operation, input])).toEqual([
      ['locate', { ip: '203.0.113.7' }],
      ['weather', { city: 'Kyoto 203.0.113.7' }],
    ]);
  });

  it.each(['{{city}}', '${t1.city}'])(
    'in adaptive mode a leftover placeholder (%s) is refused with an error the model sees and corrects (A4)',
    async (placeholder) => {
      await using home = await openHome({
        yaml: ADAPTIVE,
        script: [
          say([locate('t1')]),
          say([act('t2', 'travel.weather', { city: placeholder })]),
          say([act('t2', 'travel.weather', { city: 'Kyoto' })], { expect: told(/placeholder|real value/) }),
          answer('Sun.'),
        ],
      });
      const { run, outcome } = await home.run('weather?');
      expect(outcome).toBe('answered');
      expect(home.calls.filter(({ operation }) => operation === 'weather').map(({ input }) => input)).toEqual(
        [{ city: 'Kyoto' }],
      );
      expect(facts(await home.events(run), 'plan_rejected')[0]?.diagnostics).toMatchObject([
        { code: 'placeholder' },
      ]);
    },
  );

  it('max_steps bounds the loop and a repeat is caught earlier; both end with the best answer and what is missing (A5)', async () => {
    await using bounded = await openHome({
      yaml: 'execution: { mode: adaptive, max_steps: 2 }\n',
      script: [
        say([locate('t1', '1')]),
        say([locate('t2', '2')]),
        answer('Two of three places.', { achieved: false, expect: readPrompt('purpose-conclude') }),
      ],
    });
    const report = await bounded.run('find three places');
    expect(report).toMatchObject({
      outcome: 'exhausted',
      answer: 'Two of three places.',
      usage: { steps: 2 },
    });
    expect(report.missing?.[0]).toMatch(/max_steps/);
    await using circling = await openHome({
      yaml: ADAPTIVE,
      script: [
        ...['t1', 't2', 't3'].map((id) => say([locate(id)])),
        say([locate('t4')], { expect: readPrompt('loop') }),
        answer('Kyoto, as far as I know.', { achieved: false }),
      ],
    });
    expect(circling.dandori.config.settings.limits.steps).toBe(10);
    const circle = await circling.run('find it');
    expect(circle).toMatchObject({ outcome: 'exhausted', answer: 'Kyoto, as far as I know.' });
    expect(circle.missing?.[0]).toMatch(/did the same again/);
  });

  it('the reasoning of every decision is in the journal, in the library and in dandori log (A6)', async () => {
    await using home = await openHome({
      yaml: ADAPTIVE,
      script: [
        say([locate('t1')], { reasoning: 'first the place' }),
        answer('Kyoto', { reasoning: 'that is all that was asked' }),
      ],
    });
    const { run } = await home.run('where?');
    expect(facts(await home.events(run), 'decision_made').map(({ reasoning }) => reasoning)).toEqual([
      'first the place',
      'that is all that was asked',
    ]);
    await using place = await openPlace();
    const log = await place.dandori('log', run, '--config', join(home.folder, 'dandori.yaml'));
    expect(log.stdout).toMatch(/first the place[\s\S]*that is all that was asked/);
  });

  it('a call is tried again with back-off where that is safe, and each step is shown live (A7)', async () => {
    const clock = createStepClock();
    const toolbox = createFunctionToolbox(clock, {
      'line.read': {
        faults: [1, 2].map(() => ({ kind: 'fail' as const, retryable: true })),
        run: () => 'read',
      },
      'line.write': { effect: 'write', faults: [{ kind: 'fail', retryable: true }] },
    });
    await using home = await openHome({
      script: [],
      yaml: 'execution: { retry: { attempts: 3, backoff: 100ms } }\nplanning: { history: { storage_type: memory } }\n',
    });
    const seen: string[] = [];
    const dandori = await home.reopen(undefined, {
      clock,
      toolbox,
      config: { ...home.dandori.config, model: undefined },
      onEvent: ({ type, data }) => {
        if ('attempt' in data) seen.push(`${type} ${data.attempt}`);
      },
    });
    const read = { id: 't1', operation: 'line.read', args: {}, description: 'reads the line' };
    await clock.runUntil(dandori.run('read', { tasks: [read] }));
    const [first = 0, ...starts] = toolbox.calls.map(({ startedAt }) => startedAt);
    expect(starts.map((start) => start - first)).toEqual([100, 300]);
    expect(seen).toEqual([
      'task_started 1',
      'task_failed 1',
      'task_started 2',
      'task_failed 2',
      'task_started 3',
      'task_succeeded 3',
    ]);
    await clock.runUntil(dandori.run('write', { tasks: [{ id: 't1', operation: 'line.write', args: {} }] }));
    expect(toolbox.calls.filter(({ call }) => call.operation === 'line.write')).toHaveLength(1);
    await using place = await openPlace();
    await place.write('dandori.yaml', 'mcpServers: { calc: { shipped: calc } }\n');
    await place.write(
      'plan.yaml',
      'tasks: [{ id: t1, operation: calc.evaluate, args: { expression: 1+1 }, description: adds one and one }]\n',
    );
    expect((await place.dandori('run', '--plan', 'plan.yaml')).stderr).toContain('adds one and one');
  });

  it('custom instructions from a file go into every decision (A8)', async () => {
    const replies = [say([locate('t1')]), answer('Kyoto')];
    await using home = await openHome({ script: () => replies.shift() });
    await writeFile(join(home.folder, 'rules.md'), 'Always end with a haiku.\n');
    const dandori = await home.reopen(`${ADAPTIVE}instructions: { file: rules.md }\n`);
    expect((await dandori.run('where?')).outcome).toBe('answered');
    expect(home.model.requests).toHaveLength(2);
    for (const { promptText } of home.model.requests)
      expect(promptText).toContain('Always end with a haiku.');
  });

  it('the tools of every connected MCP server are found at run time, described to the model, and called (A9)', async () => {
    await using home = await openHome({
      yaml: 'mcpServers: { calc: { shipped: calc }, watch: { shipped: clock } }\n',
      script: [
        say(
          [
            act('t1', 'calc.evaluate', { expression: '6 * 7' }),
            act('t2', 'watch.get_current_time', { time_zone: 'Asia/Tokyo' }),
          ],
          {
            expect: ({ promptText }) => {
              for (const name of ['calc.evaluate', 'watch.get_current_time', 'travel.weather'])
                expect(promptText).toContain(name);
              expect(promptText).toContain('{expression /*');
            },
          },
        ),
        answer('42', { expect: /42[\s\S]*\+09:00/ }),
      ],
    });
    expect(home.dandori.tools().get('watch.get_current_time')?.effect).toBe('read');
    expect(await home.run('six times seven, and the time')).toMatchObject({ outcome: 'answered' });
  });

  it('rules about the order of tools are enforced: the shipped ones of the database, and those of the file (A10)', async () => {
    const query = act('t3', 'db.execute_safe_query', { query: 'SELECT name FROM products' });
    await using shipped = await openHome({
      yaml: 'mcpServers: { db: { shipped: sqlite } }\n',
      script: [
        say([query]),
        say([act('t1', 'db.list_tables'), act('t2', 'db.get_table_schema', { table: 'products' }), query], {
          expect: told('db.get_table_schema'),
        }),
        answer('There they are.'),
      ],
    });
    const { run, outcome } = await shipped.run('list the products');
    const events = await shipped.events(run);
    expect(outcome).toBe('answered');
    expect(facts(events, 'plan_rejected')[0]?.diagnostics[0]?.code).toBe('order-rule');
    expect(facts(events, 'task_started').map(({ task }) => task)).toEqual(['t1', 't2', 't3']);
    await using own = await openHome({
      yaml: 'execution: { order: [[travel.locate, travel.book]] }\n',
      script: [
        say([act('t1', 'travel.book', { city: 'Kyoto' })]),
        say([locate('t1'), act('t2', 'travel.book', { city: 'Kyoto' })], { expect: told('travel.locate') }),
        answer('Booked.'),
      ],
    });
    expect((await own.run('book')).outcome).toBe('answered');
    expect(own.calls.map(({ operation }) => operation)).toEqual(['locate', 'book']);
  });

  const TROUBLES: [string, { reply: ModelReply; yaml?: string; reason: RegExp; tries: number }][] = [
    ['silence', { reply: { hang: true }, yaml: 'timeout: 2s', reason: /did not finish within/, tries: 3 }],
    ['broken JSON', { reply: { content: '{"actions":[{"opera' }, reason: /could not be used/, tries: 3 }],
    ['a refusal', { reply: { refusal: 'I would rather not.' }, reason: /refused: I would/, tries: 1 }],
  ];
  it.each(TROUBLES)(
    'a model error (%s) is retried a bounded number of times, then ends the run with a clear reason; finished work stays (A11)',
    async (_, { reply, yaml, reason, tries }) => {
      await using home = await openHome({ yaml: ADAPTIVE, modelYaml: yaml, script: () => reply });
      const report = await home.run('where?', {
        tasks: [{ id: 't1', operation: 'travel.locate', args: { ip: '203.0.113.7' } }],
      });
      expect(report).toMatchObject({
        outcome: 'failed',
        tasks: { t1: { status: 'succeeded', attempts: 1 } },
      });
      expect(report.failure?.message).toMatch(reason);
      expect(home.model.requests).toHaveLength(tries);
    },
  );

  describe('cost, in requests that the model server got (A12):', () => {
    const refs = [locate('t1'), act('t2', 'travel.weather', { city: '${t1.city}' })];
    const thirty = Array.from({ length: 30 }, (_, n) =>
      n % 3 === 2 ? act(`t${n}`, 'travel.weather', { city: `\${t${n - 1}.city}` }) : locate(`t${n}`, `${n}`),
    );
    const steps: Json = [
      { id: 's1', description: 'find the place' },
      { id: 's2', description: 'tell the weather', after: ['s1'] },
    ];
    const COSTS: [string, string, ModelReply[], number][] = [
      ['no tool in auto mode takes 1', '', [answer('hello')], 1],
      [
        'two dependent tasks in adaptive mode take 3',
        ADAPTIVE,
        [say([locate('t1')]), say([act('t2', 'travel.weather', { city: 'Kyoto' })]), answer('sun')],
        3,
      ],
      ['two dependent tasks in planned mode take 2', PLANNED, [say(refs), answer('sun')], 2],
      ['a graph of 30 tasks in planned mode takes 2', PLANNED, [say(thirty), answer('sun')], 2],
      [
        'an error in the middle of a planned run takes 3',
        PLANNED,
        [
          say([locate('t1'), act('t2', 'travel.closed', { city: '${t1.city}' })]),
          say([
            own('reflect', { status: 'partial', evaluation: 'closed', revision_needed: true }),
            own('plan.revise', {
              reason: 'another line',
              replace: [act('t2', 'travel.weather', { city: '${t1.city}' })],
            }),
          ]),
          answer('sun'),
        ],
        3,
      ],
      [
        'two steps in hierarchical mode take 4',
        'execution: { mode: hierarchical }\n',
        [
          say([own('plan.propose', { objective: 'the weather', steps })]),
          say([locate('t1')]),
          say([act('t2', 'travel.weather', { city: '${t1.city}' })]),
          answer('sun'),
        ],
        4,
      ],
    ];
    it.each(COSTS)('%s (A12)', async (_, yaml, script, requests) => {
      await using home = await openHome({ script, yaml });
      expect(await home.run('weather?')).toMatchObject({
        outcome: 'answered',
        usage: { modelCalls: requests },
      });
      expect(home.model.requests).toHaveLength(requests);
      for (const { body } of home.model.requests) expect(body.stream).toBe(true);
    });
  });

  it('the four jobs work: a sum, the time, the weather at an IP address, the products of a database (A13)', async () => {
    const query = { query: 'SELECT name, price FROM products ORDER BY name' };
    await using home = await openHome({
      yaml: `mcpServers: { ${['calc', 'clock', 'places', 'sqlite'].map((name) => `${name}: { shipped: ${name} }`).join(', ')} }\n`,
      script: [
        say([act('t1', 'calc.evaluate', { expression: '100 + 200' })], { expect: '100 + 200を計算' }),
        answer('300です。', { expect: '300' }),
        say([act('t1', 'clock.get_current_time')], { expect: '現在時刻を教えて' }),
        answer('今は夜です。', { expect: /T\d\d:\d\d/ }),
        say([
          act('t1', 'places.locate_ip', { ip: '203.0.113.7' }),
          act('t2', 'places.get_weather', { city: '${t1.city}' }),
        ]),
        answer('東京は晴れです。', { expect: 'Tokyo' }),
        say([
          act('t1', 'sqlite.list_tables'),
          act('t2', 'sqlite.get_table_schema', { table: 'products' }),
          act('t3', 'sqlite.execute_safe_query', query),
        ]),
        answer('商品の一覧です。', { expect: 'price' }),
      ],
    });
    const goals = [
      '100 + 200を計算',
      '現在時刻を教えて',
      'IPアドレス203.0.113.7の場所の天気を教えて',
      'データベースの商品一覧を表示して',
    ];
    const reports = [];
    for (const goal of goals) reports.push(await home.run(goal));
    expect(reports.map(({ outcome, answer: text }) => [outcome, text])).toEqual([
      ['answered', '300です。'],
      ['answered', '今は夜です。'],
      ['answered', '東京は晴れです。'],
      ['answered', '商品の一覧です。'],
    ]);
  });
});
