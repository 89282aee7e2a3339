import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import { historyLineSchema } from '../../src/history/history-lines.ts';
import { type PromptName, readPrompt } from '../../src/mind/prompts/read.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { splitLine, toLine } from '../../src/store/files/line.ts';
import type { ModelReply } from '../../src/testing/model-server/index.ts';
import { openPlace } from '../cli/command.ts';
import { startUserApi } from '../config/user-api.ts';
import { act, answer, facts, openHome, own, type Said, say, told } from './home.ts';

const locate = (id: string, ip = '203.0.113.7') => act(id, 'travel.locate', { ip });
const weather = (id: string, city: string) => act(id, 'travel.weather', { city });
const closed = (id: string, city: string) => act(id, 'travel.closed', { city });
const reflect = (args: JsonObject) => own('reflect', args);
const revise = (args: JsonObject) => own('plan.revise', args);

const PLANNED = 'execution: { mode: planned }\n';
const BROKEN_PLAN = say([locate('t1'), closed('t2', '${t1.city}')]);
const MENDED = [
  reflect({ status: 'partial', evaluation: 'the line is closed', revision_needed: true }),
  revise({ reason: 'another line is open', replace: [weather('t2', '${t1.city}') as JsonObject] }),
];
const MENDING: ModelReply[] = [BROKEN_PLAN, say(MENDED), answer('Sun.')];

describe('Planning, reflection, history (docs/REQUIREMENTS.md, B)', () => {
  it('planning, execution, reflection and revision follow each other in a loop that the code keeps (B1)', async () => {
    await using home = await openHome({ yaml: PLANNED, script: MENDING });
    const { run, outcome } = await home.run('weather?');
    expect(outcome).toBe('answered');
    const phases = [
      'plan_approved',
      'task_started',
      'task_failed',
      'reflection_made',
      'plan_revised',
      'run_finished',
    ];
    const types = (await home.events(run)).map(({ type }) => type).filter((type) => phases.includes(type));
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'plan_approved',
      'task_started',
      'task_failed',
      'reflection_made',
      'plan_revised',
      'plan_approved',
      'task_started',
      'run_finished',
    ]);
    // The model cannot revise a task that has succeeded.
    await using leaping = await openHome({
      yaml: PLANNED,
      script: [
        BROKEN_PLAN,
        say([revise({ reason: 'again', remove: ['t1'] })]),
        answer('No.', { achieved: false, expect: told('t1 is succeeded') }),
      ],
    });
    expect(await leaping.run('weather?')).toMatchObject({
      outcome: 'failed',
      tasks: { t1: { status: 'succeeded', attempts: 1 } },
    });
  });

  it('a plan holds the understanding of the goal, the subtasks with their dependencies, and the actions in order (B2)', async () => {
    const steps: Json = [
      { id: 's1', description: 'find the place', complexity: 'low', tasks: [locate('a') as JsonObject] },
      {
        id: 's2',
        description: 'tell the weather',
        after: ['s1'],
        complexity: 'medium',
        tasks: [weather('b', '${a.city}') as JsonObject],
      },
    ];
    const plan = {
      objective: 'the weather at an address',
      success_criteria: ['the city is named', 'the sky is told'],
      constraints: ['only today'],
      reasoning: 'the place comes first',
      steps,
    };
    await using home = await openHome({
      yaml: 'execution: { mode: hierarchical }\n',
      script: [
        say([own('plan.propose', plan)]),
        say([
          own('answer', {
            text: 'Sun.',
            achieved: true,
            criteria: [
              { met: true, because: 'Kyoto' },
              { met: true, because: 'sun' },
            ],
          }),
        ]),
      ],
    });
    const { run } = await home.run('weather?');
    const config = join(home.folder, 'dandori.yaml');
    await using place = await openPlace();
    const shown = JSON.parse((await place.dandori('show', run, '--json', '--config', config)).stdout);
    for (const found of [(await home.dandori.report(run)).plan, shown.plan])
      expect(found).toMatchObject({
        status: 'completed',
        objective: 'the weather at an address',
        successCriteria: ['the city is named', 'the sky is told'],
        constraints: ['only today'],
        reasoning: 'the place comes first',
        steps: [
          { id: 's1', description: 'find the place', complexity: 'low', status: 'completed', tasks: ['a'] },
          { id: 's2', after: ['s1'], complexity: 'medium', status: 'completed', tasks: ['b'] },
        ],
      });
    expect(home.calls.map(({ operation }) => operation)).toEqual(['locate', 'weather']);
  });

  it('the model reflects after an error and every 3 actions: status, evaluation, whether a revision is needed (B3)', async () => {
    const reflections = async (yaml: string, script: ModelReply[]) => {
      await using home = await openHome({ yaml, script });
      const { plan } = await home.run('go');
      return plan?.reflections?.map(({ trigger, status, evaluation, revisionNeeded }) => [
        trigger,
        status,
        evaluation,
        revisionNeeded,
      ]);
    };
    expect(await reflections(PLANNED, MENDING)).toEqual([['error', 'partial', 'the line is closed', true]]);
    const looking = [
      ...['1', '2', '3'].map((ip) => say([locate(`t${ip}`, ip)])),
      say(
        [reflect({ status: 'success', evaluation: 'all found', revision_needed: false }), locate('t4', '4')],
        { expect: readPrompt('reflect-interval') },
      ),
      answer('Four.'),
    ];
    expect(await reflections('execution: { mode: adaptive }\n', looking)).toEqual([
      ['interval', 'success', 'all found', false],
    ]);
  });

  it('a revision has a reason and its changes, finished tasks keep their results, and max_revisions bounds it (B4)', async () => {
    await using home = await openHome({ yaml: PLANNED, script: MENDING });
    const report = await home.run('weather?');
    expect(home.dandori.config.settings.planning?.revisions).toBe(3);
    expect(report.plan?.revisions).toMatchObject([
      { reason: 'another line is open', changes: [{ kind: 'replace', task: 't2' }] },
    ]);
    expect(home.calls.map(({ operation }) => operation)).toEqual(['locate', 'closed', 'weather']);
    expect(report.tasks).toMatchObject({ t1: { status: 'succeeded', attempts: 1 } });
    await using bounded = await openHome({
      yaml: `${PLANNED}planning: { revision: { max_revisions: 1 } }\n`,
      script: [
        BROKEN_PLAN,
        say([revise({ reason: 'once more', replace: [closed('t2', 'Nara') as JsonObject] })]),
        answer('Only the place.', { achieved: false, expect: readPrompt('purpose-conclude') }),
      ],
    });
    const ended = await bounded.run('weather?');
    expect(ended).toMatchObject({ outcome: 'exhausted', answer: 'Only the place.' });
    expect(ended.missing?.[0]).toMatch(/max_revisions/);
  });

  it('the history is one JSON Lines file a run in the folder of the file, and the plan can be read back (B5)', async () => {
    await using home = await openHome({
      yaml: `${PLANNED}planning: { history: { storage_type: jsonl, directory: past/runs } }\n`,
      script: MENDING,
    });
    const { run } = await home.run('weather?');
    const folder = join(home.folder, 'past/runs');
    expect(readdirSync(folder).sort()).toEqual([`${run}.history.jsonl`, `${run}.jsonl`]);
    const lines = readFileSync(join(folder, `${run}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    const kinds = ['plan_proposed', 'reflection_made', 'plan_revised'];
    const events = lines.flatMap((line) => splitLine(line, run)).map((line) => JSON.parse(line));
    const written = events.filter(({ type }) => kinds.includes(type));
    expect(written.map(({ type }) => type)).toEqual(kinds);
    for (const { at } of written) expect(at).toBeTypeOf('number');
    const later = await home.reopen();
    expect((await later.report(run)).plan).toMatchObject({
      version: 2,
      revisions: [{ reason: 'another line is open' }],
    });
    await using place = await openPlace();
    const shown = await place.dandori('show', run, '--config', join(home.folder, 'dandori.yaml'));
    expect(shown.stdout).toContain('another line is open');
  });

  it('the history is read in the documented line format: from the folder, the CLI, the API and the library (B11)', async () => {
    await using home = await openHome({
      yaml: `${PLANNED}planning: { history: { directory: planning_history } }\n`,
      script: MENDING,
    });
    const { run } = await home.run('weather?');
    const file = join(home.folder, 'planning_history', `${run}.history.jsonl`);
    const text = readFileSync(file, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => historyLineSchema.parse(JSON.parse(line)));
    expect(lines).toMatchObject([
      {
        type: 'plan',
        goal_understanding: { main_objective: 'weather?', success_criteria: [], constraints: [] },
        decomposition: { subtasks: [{ id: 't1' }, { id: 't2', dependencies: ['t1'] }] },
        execution_order: ['t1', 't2'],
        status: 'accepted',
      },
      { type: 'reflection', status: 'partial', needs_revision: true },
      { type: 'revision', reason: 'another line is open', changes: [{ kind: 'replace', task: 't2' }] },
    ]);
    for (const { timestamp } of lines) expect(new Date(timestamp).toISOString()).toBe(timestamp);
    await using place = await openPlace();
    const config = join(home.folder, 'dandori.yaml');
    expect((await place.dandori('history', run, '--json', '--config', config)).stdout).toBe(text);
    const later = await home.reopen();
    expect(await later.historyLines(run)).toEqual(lines);
    // A damaged or missing file is written again from the journal.
    writeFileSync(file, text.slice(0, -20));
    await later.drive(run);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('a run that has a plan in its history goes on from there and does not plan again (B6)', async () => {
    await using home = await openHome({
      yaml: PLANNED,
      script: [
        say([locate('t1'), weather('t2', '${t1.city}')]),
        answer('never read'),
        answer('Sun.', { expect: 'sun over Kyoto' }),
      ],
    });
    const { run } = await home.run('weather?');
    // The process dies when the first task is done: what comes after it was never written.
    const events = await home.events(run);
    const done = events.findIndex(({ type }) => type === 'task_succeeded');
    const written = events
      .slice(0, done + 1)
      .map(toLine)
      .join('');
    writeFileSync(join(home.folder, '.dandori/runs', `${run}.jsonl`), written);
    const later = await home.reopen();
    expect(await later.drive(run)).toMatchObject({ outcome: 'answered', answer: 'Sun.' });
    expect(home.model.requests).toHaveLength(3);
    expect(facts(await later.events(run), 'plan_proposed')).toHaveLength(1);
    expect(home.calls.map(({ operation }) => operation)).toEqual(['locate', 'weather', 'weather']);
  });

  describe('each key of planning in the YAML file has an effect (B7):', () => {
    const firstPrompt = async (yaml: string) => {
      await using home = await openHome({ yaml, script: [answer('ok')] });
      await home.run('go');
      return home.model.requests[0]?.promptText ?? '';
    };

    it('the defaults are those that are written down (B7)', async () => {
      await using home = await openHome({ script: [] });
      const { planning, settings } = home.dandori.config;
      expect(planning).toEqual({ history: { storageType: 'jsonl', isFolderNamed: false } });
      expect(settings.limits.tasks).toBe(100);
      expect(settings.planning).toEqual({
        strategy: 'chain_of_thought',
        decomposition: 'moderate',
        reflection: { onError: true, interval: 3 },
        revisions: 3,
      });
    });

    it.each([
      ['strategy', 'chain_of_thought'],
      ['strategy', 'plan_and_solve'],
      ['strategy', 'least_to_most'],
      ['decomposition_level', 'coarse'],
      ['decomposition_level', 'moderate'],
      ['decomposition_level', 'fine'],
    ])('%s: %s changes the instructions (B7)', async (key, value) => {
      const prompt = (one: string) =>
        readPrompt(`${key === 'strategy' ? 'strategy' : 'decomposition'}-${one}` as PromptName);
      const sent = await firstPrompt(`planning: { ${key}: ${value} }\n`);
      const values = {
        strategy: ['chain_of_thought', 'plan_and_solve', 'least_to_most'],
        decomposition_level: ['coarse', 'moderate', 'fine'],
      }[key];
      expect(values?.filter((one) => sent.includes(prompt(one)))).toEqual([value]);
    });

    it('max_subtasks bounds what the mind may plan (B7)', async () => {
      await using home = await openHome({
        yaml: `${PLANNED}planning: { max_subtasks: 2 }\n`,
        script: [
          say(['1', '2', '3'].map((ip) => locate(`t${ip}`, ip))),
          say([locate('t1', '1')], { expect: told(/2 are allowed|at most 2/) }),
          answer('One.'),
        ],
      });
      const { run } = await home.run('go');
      expect(facts(await home.events(run), 'plan_rejected')[0]?.diagnostics).toMatchObject([
        { code: 'too-many-tasks' },
      ]);
      expect(facts(await home.events(run), 'task_started')).toHaveLength(1);
    });

    const REFLECTION: [string, string, Said, PromptName | undefined][] = [
      ['enabled: false', 'enabled: false, trigger_interval: 1', closed('t1', 'x'), undefined],
      ['trigger_on_error: true', 'trigger_on_error: true', closed('t1', 'x'), 'reflect-error'],
      ['trigger_on_error: false', 'trigger_on_error: false', closed('t1', 'x'), undefined],
      ['trigger_interval: 1', 'trigger_interval: 1', locate('t1'), 'reflect-interval'],
      ['trigger_interval: 2', 'trigger_interval: 2', locate('t1'), undefined],
    ];
    it.each(REFLECTION)(
      'reflection.%s decides when the model looks back (B7)',
      async (_, keys, action, asked) => {
        await using home = await openHome({
          yaml: `execution: { mode: adaptive }\nplanning: { reflection: { ${keys} } }\n`,
          script: [say([action]), answer('ok')],
        });
        await home.run('go');
        const sent = home.model.requests[1]?.promptText ?? '';
        const found = (['reflect-error', 'reflect-interval'] as const).filter((name) =>
          sent.includes(readPrompt(name)),
        );
        expect(found).toEqual(asked === undefined ? [] : [asked]);
      },
    );

    it('max_subtasks bounds the steps of a plan for themselves, so that there is room for their tasks (B7)', async () => {
      const steps = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ id: `s${index + 1}`, description: 'look' }));
      const propose = (count: number) => ({
        id: 'p',
        operation: 'plan.propose',
        args: { steps: steps(count) },
      });
      await using home = await openHome({
        yaml: 'execution: { mode: hierarchical }\nplanning: { max_subtasks: 3 }\n',
        script: [
          say([propose(4)]),
          say([propose(3)], { expect: told(/4 steps, and 3 are allowed/) }),
          say(
            ['1', '2']
              .map((n) => ({ ...locate(`t${n}`, n), step: `s${n}` }))
              .concat({ ...locate('t3'), step: 's3' }),
          ),
          answer('All.', { achieved: true }),
        ],
      });
      const report = await home.run('go');
      expect(report).toMatchObject({ outcome: 'answered', plan: { status: 'completed' } });
    });

    it('revision.max_revisions: 0 allows none (B7)', async () => {
      await using home = await openHome({
        yaml: `${PLANNED}planning: { revision: { max_revisions: 0 } }\n`,
        script: [BROKEN_PLAN, answer('Only the place.', { achieved: false })],
      });
      const { run, outcome } = await home.run('go');
      expect(outcome).not.toBe('answered');
      expect(facts(await home.events(run), 'plan_revised')).toEqual([]);
    });

    it('history.storage_type: memory writes no file (B7)', async () => {
      await using home = await openHome({
        yaml: 'planning: { history: { storage_type: memory, directory: past } }\n',
        script: [answer('ok')],
      });
      expect((await home.run('go')).outcome).toBe('answered');
      expect(readdirSync(home.folder)).toEqual(['dandori.yaml']);
    });
  });

  it('the settings of a user come from an HTTP API and override the file; an API that is down stops no run (B8)', async () => {
    await using api = await startUserApi({
      execution: { mode: 'adaptive' },
      planning: { strategy: 'least_to_most' },
    });
    const warnings: string[] = [];
    await using home = await openHome({
      yaml: `${PLANNED}user_config_api: { url: "${api.url}/users/{user_id}", cache: 0s, timeout: 300s }\n`,
      script: () => answer('ok'),
      onWarning: ({ problem }) => warnings.push(problem),
    });
    const promptFor = async (userId: string) => {
      expect((await home.run('go', { userId })).outcome).toBe('answered');
      return home.model.requests.at(-1)?.promptText;
    };
    const mine = await promptFor('u-1');
    expect(mine).toContain(readPrompt('mode-adaptive'));
    expect(mine).toContain(readPrompt('strategy-least_to_most'));
    expect(api.requests.map(({ url }) => url)).toEqual(['/users/u-1']);
    expect(warnings).toEqual([]);
    await api[Symbol.asyncDispose]();
    expect(await promptFor('u-1')).toContain(readPrompt('mode-planned'));
    expect(warnings).toHaveLength(1);
  });

  it('planning.enabled: false is the plain loop, without operations on plans and without reflection (B9)', async () => {
    await using home = await openHome({
      yaml: 'planning: { enabled: false }\n',
      script: [
        ...['1', '2', '3', '4'].map((ip) => say([locate(`t${ip}`, ip)])),
        say([closed('t5', 'x')]),
        answer('Four.'),
      ],
    });
    const report = await home.run('go');
    expect(report.outcome).toBe('answered');
    for (const { promptText } of home.model.requests) {
      expect(promptText).not.toMatch(/plan\.(propose|revise|update_step)|task\.generate_list|`reflect`/);
      expect(promptText).toContain(readPrompt('mode-adaptive'));
    }
    for (const { body } of home.model.requests)
      expect(JSON.stringify(body)).not.toMatch(/"(plan\.(propose|update_step)|task\.generate_list|reflect)"/);
    expect(facts(await home.events(report.run), 'reflection_made')).toEqual([]);
  });

  it.each([
    own('plan.propose', { steps: [{ id: 's1', description: 'look' }] }),
    act('s1', 'task.generate_list', { purpose: 'look' }),
  ])(
    'planning.enabled: false refuses $operation of a model that plans all the same (B9)',
    async (planning) => {
      await using home = await openHome({
        yaml: 'planning: { enabled: false }\n',
        script: [
          say([planning]),
          say([locate('t1', '1')], { expect: told('there are no plans and no steps in this run') }),
          answer('One.'),
        ],
      });
      const report = await home.run('go');
      expect(report).toMatchObject({ outcome: 'answered', answer: 'One.' });
      expect(report.plan?.steps).toEqual([]);
    },
  );

  it.each(['planned', 'hierarchical', 'auto', 'adaptive'] as const)(
    'planning.enabled: false holds for a run that asks for %s, too (B9)',
    async (mode) => {
      await using home = await openHome({ yaml: 'planning: { enabled: false }\n', script: [answer('Yes.')] });
      await home.run('go', { mode });
      expect(home.model.requests[0]?.promptText).toContain(readPrompt('mode-adaptive'));
    },
  );

  it('old history can be pruned, and what is young or open stays (B10)', async () => {
    const DAY = 86_400_000;
    await using home = await openHome({ script: () => answer('ok') });
    const old = await home.run('old');
    const open = await home.dandori.start('open');
    const later = await home.reopen(undefined, {
      clock: { ...systemClock, now: () => systemClock.now() + 31 * DAY },
    });
    const young = await later.run('young');
    const pruned = await later.prune({ olderThan: 30 * DAY });
    expect(pruned).toMatchObject({ runs: [{ run: old.run, outcome: 'answered' }], left: [] });
    expect(pruned.bytes).toBeGreaterThan(0);
    expect((await later.runs()).map(({ run }) => run).sort()).toEqual([open, young.run].sort());
  });
});
