import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { normalise, stringifyJson } from '../../src/model/json.ts';
import type { Task } from '../../src/model/task.ts';
import { parsePlan } from '../../src/plan/read.ts';
import { writePlan, writePlanAsJson } from '../../src/plan/write.ts';
import { rounds } from '../long.ts';

const strange = fc.constantFrom(
  ...[
    'yes',
    'null',
    '~',
    '12',
    '1e3',
    '0x1f',
    '- a',
    'a: b',
    '# no',
    ' x ',
    '\n',
    'a\n  b\n',
    '\ttab',
    'a\r\nb',
    '\ud800',
  ],
  ...[
    '\u2028',
    '\u0085',
    '\ufeff',
    '"',
    "'",
    '\\',
    '${t1.x}',
    '$${t1}',
    '<<',
    '---',
    '...',
    '%TAG',
    '&a',
    '*a',
    '!!int 3',
  ],
);
const text = fc.oneof(strange, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }).map(normalise);
const args = fc
  .dictionary(text, fc.oneof(text, value, fc.constantFrom(1e21, 2 ** 70, 0.1, -5)), {
    maxKeys: 5,
  })
  .map((object) => normalise(object) as JsonObject)
  // The reader refuses to take it as a key, wherever it comes from.
  .filter((object) => !stringifyJson(object).includes('__proto__'));
const some = text.filter((one) => one !== '');
const task = fc.record(
  {
    id: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/),
    operation: some,
    args,
    after: fc.array(some, { maxLength: 2 }),
    expect: some,
    timeoutMs: fc.integer({ min: 1, max: 1_000_000 }),
    description: text,
    reasoning: text,
    step: some,
  },
  { requiredKeys: ['id', 'operation', 'args'] },
) as fc.Arbitrary<Task>;
const plan = fc.record({
  goal: some,
  tasks: fc.uniqueArray(task, { selector: ({ id }) => id, minLength: 1, maxLength: 4 }),
});

describe('a plan that is written is the plan that is read', () => {
  it('whatever stands in its texts, as YAML and as JSON, with comments or without', () => {
    fc.assert(
      fc.property(plan, fc.array(text, { maxLength: 3 }), (written, lines) => {
        const yaml = parsePlan(writePlan(written, { head: lines, of: () => lines }), 'plan.yaml');
        expect({ goal: yaml.goal, tasks: yaml.tasks }).toEqual(written);
        const json = parsePlan(writePlanAsJson(written), 'plan.json');
        expect(json.tasks).toEqual(written.tasks);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('with its steps in words, and without the name of the operation behind them', () => {
    const step = { operation: 'task.generate_list' };
    const tasks: Task[] = [
      { id: 's1', ...step, args: { purpose: '天気を調べる', expected: '予報' }, description: '天気を調べる' },
      { id: 's2', ...step, args: { purpose: 'Find a hotel' }, description: 'The hotel', after: ['s1'] },
      { id: 's3', ...step, args: { purpose: 'Pay', of: 1 }, description: 'Pay', timeoutMs: 500 },
    ];
    const yaml = writePlan({ goal: 'A trip', tasks });
    expect(yaml).toContain('  - id: s1\n    purpose: 天気を調べる\n    expected: 予報\n');
    expect(yaml).not.toContain('generate_list');
    expect(parsePlan(yaml, 'plan.yaml').tasks).toEqual(tasks);
    expect(parsePlan(writePlanAsJson({ goal: 'A trip', tasks }), 'plan.json').tasks).toEqual(tasks);
    // A step that says nothing but its id is still one.
    const [only] = parsePlan(
      writePlan({ goal: 'A trip', tasks: [{ id: 's1', ...step, args: {} }] }),
      'p',
    ).tasks;
    expect(only).toMatchObject({ id: 's1', ...step });
  });

  it('and reads as a person would write it', () => {
    const tasks: Task[] = [
      { id: 't1', operation: 'files.read', args: { path: 'a.txt', lines: [1, 2] } },
      {
        id: 't2',
        operation: 'letters.send',
        args: { text: '# Dear\n\n  - you\n' },
        after: ['t1'],
        timeoutMs: 1500,
      },
    ];
    expect(writePlan({ goal: 'post', tasks }, { head: ['From here.'], of: (id) => [`about ${id}`] })).toBe(
      `# From here.

goal: post
tasks:
  # about t1
  - id: t1
    operation: files.read
    args:
      path: a.txt
      lines:
        - 1
        - 2
  # about t2
  - id: t2
    operation: letters.send
    args:
      text: |
        # Dear

          - you
    after:
      - t1
    timeout: 1500ms
`,
    );
  });
});
