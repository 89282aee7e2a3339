import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { parsePlan, renderDiagnostics } from '../../src/plan/read.ts';
import { openPlace } from '../cli/command.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The plan in the example of each page of a diagnostic. */
const PLANS: Readonly<Record<string, string>> = {
  cycle: `- id: a
  operation: calc.evaluate
  args: { expression: "\${b.result} + 1" }
- id: b
  operation: calc.evaluate
  args: { expression: "\${a.result} + 1" }
`,
  'dangling-ref': `tasks:
  - id: place
    operation: places.locate_ip
    args: { ip: 203.0.113.7 }
  - operation: places.get_weather
    args: { city: "\${plce.city}" }
`,
  'dead-step': `tasks:
  - id: now
    operation: clock.get_current_time
    args: { time_zone: Asia/Tokyo }
  - id: three
    operation: calc.evaluate
    args: { expression: 1 + 2 }
  - id: six
    operation: calc.evaluate
    args: { expression: "\${three.result} * 2" }
`,
  'duplicate-id': `- { id: a, operation: calc.evaluate, args: { expression: 1 + 1 } }
- { id: a, operation: calc.evaluate, args: { expression: 2 + 2 } }
`,
  'empty-plan': 'tasks: []\n',
  'invalid-args': '- { id: sum, operation: calc.evaluate, args: { expression: 300 } }\n',
  'invalid-expect': `tasks:
  - id: sum
    operation: calc.evaluate
    expect: result >
    args: { expression: 1 + 2 }
`,
  'invalid-id': '- { id: 1st, operation: calc.evaluate, args: { expression: 1 + 1 } }\n',
  'invalid-ref': `- id: sum
  operation: calc.evaluate
  args: { expression: "\${total" }
`,
  'needless-after': `tasks:
  - id: weather
    operation: places.get_weather
    args: { city: Tokyo }
  - id: time
    operation: clock.get_current_time
    args: { time_zone: Asia/Tokyo }
    after: [weather]
`,
  'order-rule': `- id: rows
  operation: sqlite.execute_safe_query
  args: { query: SELECT 1 }
`,
  'self-reference': `- id: sum
  operation: calc.evaluate
  args: { expression: "\${sum.result} + 1" }
`,
  'type-clash': `tasks:
  - id: weather
    operation: places.get_weather
    args: { city: Tokyo }
  - id: fahrenheit
    operation: calc.evaluate
    args: { expression: "\${weather.temperature_c}" }
`,
  'unknown-after': `- id: sum
  operation: calc.evaluate
  args: { expression: 1 + 1 }
  after: [before]
`,
  'unknown-field': `tasks:
  - id: place
    operation: places.locate_ip
    args: { ip: 203.0.113.7 }
  - id: weather
    operation: places.get_weather
    args: { city: "\${place.town}" }
`,
  'unknown-operation': '- { id: sum, operation: calc.evalute, args: { expression: 1 + 1 } }\n',
};

describe('the outputs in the docs', () => {
  let dandori: Awaited<ReturnType<typeof openRuntime>>;
  beforeAll(async () => {
    dandori = await openRuntime({ cwd: import.meta.dirname });
  });
  afterAll(() => dandori.close());

  it.each(Object.entries(PLANS))('are what `dandori check` prints about %s', async (code, text) => {
    const plan = parsePlan(text, 'plan.yaml');
    const compiled = await dandori.check(plan.tasks);
    const shown = compiled.ok
      ? renderDiagnostics(compiled.warnings, plan, 'warning')
      : renderDiagnostics(compiled.diagnostics, plan);
    const [, example] =
      /```text\n\$ dandori check plan\.yaml\n([\s\S]*?)\n```/.exec(read(`docs/errors/${code}.md`)) ?? [];
    expect(example).toBe(shown);
  });

  it('are what the commands of the guide print', async () => {
    await using place = await openPlace();
    await symlink(join(ROOT, 'examples'), join(place.folder, 'examples'));
    const marked = [
      ...read('docs/guide.md').matchAll(/<!-- prints: (.*) -->\n```text\n(?:\$ .*\n)?([\s\S]*?)```/g),
    ];
    expect(marked.length).toBeGreaterThan(3);
    for (const [, command = '', example = ''] of marked) {
      const words = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const { stdout, stderr } = await place.dandori(...words);
      expect(lines(`${stderr}${stdout}`), command).toEqual(lines(example));
    }
  });
});

/** Without ids, times, dates and the folder of the installation, and in any order: answers and progress are printed to different places. */
function lines(text: string): string[] {
  return text
    .replaceAll(/\d{8}-\d{9}-\w{8}/g, 'RUN')
    .replaceAll(/\d[\d.]* (?:ms|s)\b/g, 'TIME')
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, 'DATE')
    .replaceAll('npm start -- ', 'dandori ')
    .replaceAll(/see \/\S*\/(?=docs\/errors\/)/g, 'see ')
    .trim()
    .split('\n')
    .sort();
}
