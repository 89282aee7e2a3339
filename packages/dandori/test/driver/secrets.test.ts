import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { forkRun } from '../../src/history/fork.ts';
import type { Event } from '../../src/model/event.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { shown } from '../../src/model/redact.ts';
import { withForms } from '../../src/secrets/declared-secrets.ts';
import { sealingOf } from '../../src/secrets/sealing.ts';
import { createMemoryBlobs } from '../../src/store/in-memory.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createHouse, DONE, type House, SETTINGS, task } from './house.ts';

const KEY = 'sk-live-4711-abcdef';
const PASSWORD = 'p"w\\d $&{x} [a]:b/ü\t%';
const PEM = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nEFAASCBKcwggSjAgEAAoIBAQ==\n-----END PRIVATE KEY-----\n`;
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ';
const SECRETS = withForms([KEY, `${KEY}-longer`, PASSWORD, PEM, JWT]);

const tool = (more: Partial<FunctionTool> = {}): FunctionTool => ({ run: (args) => args as Json, ...more });
const TOOLS: Record<string, FunctionTool> = {
  'a.get': { run: () => ({ token: KEY, text: `use ${KEY} now`, rows: [{ [PASSWORD]: PEM }] }) },
  'b.put': tool({ effect: 'write' }),
};

function sentBy(house: House): JsonObject[] {
  return house.toolbox.calls.map(({ call }) => call.args);
}

async function withoutSecrets(house: House, run: string): Promise<string> {
  const text = JSON.stringify(await house.events(run));
  for (const secret of SECRETS) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
  return text;
}

/** The run as it was when the driver died right after the event. */
async function cutAfter(house: House, run: string, isIt: (event: Event) => boolean): Promise<House> {
  const events = await house.events(run);
  const past = events.slice(0, events.findIndex(isIt) + 1);
  const other = createHouse(TOOLS, DONE, { ...house.parts, journal: createHouse({}).parts.journal });
  await other.parts.journal.create(run, past);
  return {
    ...other,
    parts: { ...other.parts, toolbox: other.toolbox, mind: other.mind, clock: other.clock },
  };
}

describe('a secret in an argument', () => {
  const ARGS: JsonObject = {
    key: KEY,
    text: `before ${KEY}-longer, ${PASSWORD} and ${KEY}.`,
    list: [PEM, { [JWT]: true }],
    json: JSON.stringify({ pem: PEM, password: PASSWORD }),
    url: `https://h/?p=${encodeURIComponent(PASSWORD)}`,
    base64: Buffer.from(PASSWORD).toString('base64'),
  };

  it('is sent as the plan says, and is in no event', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const run = await house.start(`say ${KEY}`, [task('p', 'b.put', { args: escapedArgs(ARGS) })]);
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(sentBy(house)).toEqual([ARGS]);
    expect(await withoutSecrets(house, run)).toMatch(/\[secret:[0-9a-f]{32}\]/);
  });

  it('is sent as the plan says after a crash too, and by a fork', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const plan = [
      task('g', 'a.get'),
      task('p', 'b.put', { args: { ...escapedArgs(ARGS), from: '${g.token}', in: 'x ${g.text} y' } }),
    ];
    const run = await house.start('go', plan);
    await house.drive(run);
    const sent = { ...ARGS, from: KEY, in: `x use ${KEY} now y` };
    expect(sentBy(house)).toEqual([{}, sent]);
    await withoutSecrets(house, run);
    const resumed = await cutAfter(house, run, ({ type }) => type === 'task_succeeded');
    await resumed.drive(run, resumed.parts);
    expect(sentBy(resumed)).toEqual([sent]);
    const at = (await house.events(run)).findIndex(({ type }) => type === 'task_succeeded') + 1;
    const forked = await forkRun(run, { at }, house.parts);
    await house.drive(forked.run);
    expect(sentBy(house).at(-1)).toEqual(sent);
    expect(sentBy(house)).toHaveLength(3);
  });

  it('that is no longer configured fails the task before the call, and nothing is sent instead', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const run = await house.start('go', [
      task('g', 'a.get'),
      task('p', 'b.put', { args: { text: `${KEY}`, other: '${g.token}' } }),
      task('q', 'b.put', { args: { text: 'plain' }, after: ['g'] }),
    ]);
    await house.drive(run);
    for (const secrets of [[], ['sk-live-rotated-1']]) {
      const resumed = await cutAfter(house, run, ({ type }) => type === 'task_succeeded');
      const state = await resumed.drive(run, { ...resumed.parts, secrets });
      expect(state.tasks.get('p')?.failure).toMatchObject({
        kind: 'invalid_args',
        message: expect.stringContaining('secret'),
      });
      expect(sentBy(resumed)).toEqual([{ text: 'plain' }]);
    }
  });

  it('is checked with its real value', async () => {
    const inputSchema = {
      type: 'object',
      properties: { key: { type: 'string', pattern: '^sk-', maxLength: 20 } },
    };
    const tools = { ...TOOLS, 'b.put': tool({ effect: 'write', inputSchema }) };
    const house = createHouse(tools, DONE, { secrets: SECRETS, check: createSchemaCheck() });
    const run = await house.start('go', [
      task('g', 'a.get'),
      task('p', 'b.put', { args: { key: KEY } }),
      task('q', 'b.put', { args: { key: '${g.token}' } }),
      task('r', 'b.put', { args: { key: '${g.text}' } }),
    ]);
    const state = await house.drive(run);
    expect(sentBy(house)).toEqual([{}, { key: KEY }, { key: KEY }]);
    expect(state.tasks.get('r')?.failure?.kind).toBe('invalid_args');
    await withoutSecrets(house, run);
  });

  it('is part of the approval, and another secret needs another approval', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const plan = [task('p', 'b.put', { args: { key: KEY } })];
    const run = await house.start('go', plan, { approval: 'writes' });
    await house.drive(run);
    await withoutSecrets(house, run);
    await house.answer(run, 'q1', 'approve');
    await house.drive(run);
    expect(sentBy(house)).toEqual([{ key: KEY }]);
  });

  it('stays in a plan that the user edits, where they leave [secret] as they see it', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const plan = [task('p', 'b.put', { args: { key: KEY, to: 'a' } })];
    const run = await house.start('go', plan, { approval: 'plan' });
    await house.drive(run);
    const edited = [{ ...shown(plan)[0], args: { key: '[secret]', to: 'b' } }] as unknown as Json;
    await house.answer(run, 'q1', { tasks: edited });
    await house.drive(run);
    expect(sentBy(house)).toEqual([{ key: KEY, to: 'b' }]);
    const other = await house.start('go', plan, { approval: 'plan' });
    await house.drive(other);
    const moved = [{ id: 'p', operation: 'b.put', args: { key: 'x', to: '[secret]' } }] as unknown as Json;
    await expect(house.answer(other, 'q1', { tasks: moved })).rejects.toThrow(/only stands for a secret/);
  });
});

describe('a mark', () => {
  const markOf = (house: House) => sealingOf(house.parts).seal(KEY);

  it('that a model, a tool or a user writes is text, even with the right hash', async () => {
    const house = createHouse({}, [], { secrets: SECRETS });
    const mark = markOf(house);
    expect(mark).toMatch(/^\[secret:[0-9a-f]{32}\]$/);
    const hash = mark.slice(8, -1);
    const tools = {
      ...TOOLS,
      'a.page': { run: () => ({ mark, half: '[secret', rest: `${hash}]`, nested: `[secret::${hash}]` }) },
    };
    const sent: Record<string, string> = {
      whole: '${g.mark}',
      joined: '${g.half}:${g.rest}',
      expression: "${g | join('', ['[secret:', rest])}",
      replaced: "${g | replace(nested, '::', ':')}",
      within: 'a ${g.mark} b',
      doubled: '${g.nested}',
    };
    const other = createHouse(tools, DONE, { secrets: house.parts.secrets });
    const run = await other.start('go', [task('g', 'a.page'), task('p', 'b.put', { args: sent })]);
    const state = await other.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(sentBy(other)[1]).toEqual({
      whole: mark,
      joined: mark,
      expression: mark,
      replaced: mark,
      within: `a ${mark} b`,
      doubled: `[secret::${hash}]`,
    });
    const copied = await other.start('go', [task('p', 'b.put', { args: { text: mark } })]);
    expect((await other.drive(copied)).end?.outcome).toBe('failed');
    expect(sentBy(other)).toHaveLength(2);
  });

  it('in the description of a tool is text when the tool is found', async () => {
    const mark = markOf(createHouse({}, [], { secrets: SECRETS }));
    const house = createHouse({ ...TOOLS, 'c.lost': { description: `umbrella ${mark}` } }, DONE, {
      secrets: SECRETS,
    });
    const run = await house.start('go', [
      task('s', 'tool.search', { args: { query: 'umbrella' } }),
      task('p', 'b.put', { args: { text: '${s.tools[0].description}' } }),
    ]);
    await house.drive(run);
    expect(sentBy(house)).toEqual([{ text: `umbrella ${mark}` }]);
  });

  it('is not made by the characters that stand for it inside expressions', async () => {
    const reserved = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index)).join('');
    const tokens = ['\uFDD2', '\uFDD2'.repeat(6)].map(
      (digits) => `\uFDD0${digits}${'\uFDDC'.repeat(2_048)}\uFDD1`,
    );
    const page = { tokens, reserved, letters: '\uFDEFA\uFDEFZ' };
    const tools = { ...TOOLS, 'a.page': { run: () => page } };
    const house = createHouse(tools, DONE, { secrets: SECRETS });
    const written = '${g | join(``, [`"\\ufdd0\\ufdd2"`, reserved])}'.replace('``', "''");
    const run = await house.start('go', [
      task('g', 'a.page'),
      task('p', 'b.put', { args: { key: KEY, page: '${g}', text: 'a ${g.tokens[0]} b', same: reserved } }),
      task('plain', 'b.put', { args: { page: '${g}' } }),
      task('forged', 'b.put', { args: { key: KEY, written } }),
    ]);
    const state = await house.drive(run);
    expect(sentBy(house).slice(1)).toEqual([
      { key: KEY, page, text: `a ${tokens[0]} b`, same: reserved },
      { page },
    ]);
    expect(state.tasks.get('forged')?.failure?.message).toMatch(/takes a secret apart/);
  });

  it('cannot be read in pieces: an expression moves a secret as a whole', async () => {
    const house = createHouse(
      TOOLS,
      [
        [{ id: 'g', operation: 'a.get' }],
        [
          { id: 'r1', operation: 'result.read', args: { task: 'g', path: 'token[0:5]' } },
          { id: 'r2', operation: 'result.read', args: { task: 'g', path: 'text', from: 0, count: 8 } },
          { id: 'p1', operation: 'b.put', args: { piece: '${g.token[0:5]}' } },
          { id: 'p2', operation: 'b.put', args: { whole: '${g.token[0:9999]}' } },
        ],
        [{ operation: 'answer', args: { text: 'It is ${g.token}, not ${g.token[0:7]}.' } }],
        [{ operation: 'answer', args: { text: 'It is ${g.token}.' } }],
      ],
      { secrets: SECRETS },
    );
    const run = await house.start('go');
    const state = await house.drive(run);
    const text = await withoutSecrets(house, run);
    expect(text).not.toContain('sk-li');
    expect(state.tasks.get('p1')?.failure?.message).toMatch(/takes a secret apart/);
    expect(sentBy(house)).toEqual([{}, { whole: KEY }]);
  });

  it('differs from key to key, so that no dictionary finds a short password', () => {
    const marks = ['one', 'two'].map((key) =>
      sealingOf({ secrets: ['hunter2'], storeKey: () => key }).seal('hunter2'),
    );
    expect(new Set(marks).size).toBe(2);
  });

  it('no other key takes the place of the one that a store fails to give', () => {
    // A store in JavaScript. Marks under a key of this process could never be opened again.
    const storeKey = (() => undefined) as never;
    expect(() => sealingOf({ secrets: ['hunter2'], storeKey }).seal('hunter2')).toThrow();
  });
});

describe('an attached text', () => {
  it('is stored without secrets, and a mark that its author copied stays text', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const data = `API_KEY=${KEY}\n${sealingOf(house.parts).seal(KEY)}\n`;
    const blobs = createMemoryBlobs();
    const stored: string[] = [];
    const parts: Parts = {
      ...house.parts,
      blobs: {
        ...blobs,
        put: async (texts) => {
          stored.push([...texts].join(''));
          return blobs.put(stored.slice(-1));
        },
      },
    };
    const tasks = [
      task('f', 'attachment.read', { args: { name: 'env.txt' } }),
      task('p', 'b.put', { args: { text: '${f.text}' } }),
    ];
    const attachments = [{ name: 'env.txt', data }];
    const { run } = await startRun({ goal: 'Send env.txt', settings: SETTINGS, tasks, attachments }, parts);
    expect((await house.drive(run, parts)).end?.outcome).toBe('answered');
    expect(sentBy(house)).toEqual([{ text: data }]);
    expect(stored.join()).not.toContain(KEY);
    await withoutSecrets(house, run);
  });
});

describe('what is shown instead of a secret', () => {
  it('is no value: a plan that contains it is refused, and the mind is told', async () => {
    const script = [
      [{ operation: 'b.put', args: { key: '[secret]' } }],
      [{ operation: 'b.put', args: { key: 'mine' } }],
      ...DONE,
    ];
    const house = createHouse(TOOLS, script, { secrets: SECRETS });
    const state = await house.run('go');
    expect(sentBy(house)).toEqual([{ key: 'mine' }]);
    expect(state.decisions[0]?.diagnostics).toMatchObject([{ code: 'placeholder' }]);
  });

  it('passes from a result into a call as plain text', async () => {
    const house = createHouse(
      { 'a.page': { run: () => 'write [secret] there' }, 'b.put': tool({ effect: 'write' }) },
      DONE,
      { secrets: SECRETS },
    );
    await house.run('go', [task('g', 'a.page'), task('p', 'b.put', { args: { text: '${g}' } })]);
    expect(sentBy(house)[1]).toEqual({ text: 'write [secret] there' });
  });

  it('is never sent by a run of version 0.1, which has nothing else', async () => {
    const house = createHouse(TOOLS, DONE, { secrets: SECRETS });
    const run = await house.start('go', [task('p', 'b.put', { args: { key: 'Bearer [secret]' } })]);
    const events = (await house.events(run)).map((event) => {
      if (event.type !== 'run_started') return event;
      const { sealed: _, ...data } = event.data;
      return { ...event, data };
    });
    const old = createHouse(TOOLS, DONE, { secrets: SECRETS });
    await old.parts.journal.create(run, events);
    const state = await old.drive(run);
    expect(state.tasks.get('p')?.failure?.kind).toBe('invalid_args');
    expect(sentBy(old)).toEqual([]);
  });
});

describe('what a server asked for and gets again', () => {
  it('is exactly what it said and what the user answered', async () => {
    let round = 0;
    const inputs: unknown[] = [];
    const tools: Record<string, FunctionTool> = {
      'b.put': tool({
        effect: 'write',
        run: (_args, call) => {
          inputs.push(call.inputs);
          round++;
          if (round > 1) return 'done';
          const form = { type: 'object', properties: { key: { type: 'string' } } };
          return {
            kind: 'input_wanted',
            requests: [{ name: 'key', text: 'Which?', form }],
            state: `s ${KEY}`,
          };
        },
      }),
    };
    const house = createHouse(tools, DONE, { secrets: SECRETS });
    const run = await house.start('go', [task('p', 'b.put')]);
    await house.drive(run);
    await house.answer(run, 'q1', { key: KEY });
    await house.drive(run);
    expect(inputs[1]).toEqual({
      responses: { key: { action: 'accept', content: { key: KEY } } },
      state: `s ${KEY}`,
    });
    await withoutSecrets(house, run);
  });
});

/** `${` in a plan is written as `$${`. */
function escapedArgs(args: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(args).replaceAll('${', '$${')) as JsonObject;
}
