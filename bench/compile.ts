import type { Task } from '../packages/dandori/src/model/task.ts';
import type { Tool } from '../packages/dandori/src/model/tool.ts';
import { type CompileContext, compile } from '../packages/dandori/src/plan/compile.ts';
import { createSchemaCheck } from '../packages/dandori/src/tools/schema/check.ts';
import { median, type Row } from './row.ts';

const LARGEST = 10_000;
const SIZES = [10, 1_000, LARGEST];
const ROUNDS = 9;
/** Tasks before the first that count: a small plan must be compiled often until the machine has compiled the compiler. */
const WARM = 20_000;

const tool: Tool = {
  name: 'bench.add',
  server: 'bench',
  description: '',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
    additionalProperties: false,
  },
  effect: 'read',
  trusted: true,
};

/** Half of the arguments are literals, half are Refs that are followed into the output schema. */
function plan(size: number): Task[] {
  return Array.from({ length: size }, (_, index) => ({
    id: `t${index}`,
    operation: 'bench.add',
    args: { a: index, b: index === 0 ? 1 : `\${t${Math.floor(index / 2)}.sum}` },
  })).map((task, index) => (index === 1 ? { ...task, args: { a: 1, b: '${t0.sum}' } } : task));
}

export async function compileTime(): Promise<Row[]> {
  const surroundings: CompileContext = {
    tools: new Map([[tool.name, tool]]),
    check: createSchemaCheck(),
    mode: 'planned',
    order: [],
    maxTasks: Number.POSITIVE_INFINITY,
    done: new Map(),
    missing: new Map(),
  };
  return SIZES.map((size) => {
    const tasks = plan(size);
    const once = () => {
      const compiled = compile(tasks, surroundings);
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics[0]));
    };
    for (let warm = 0; warm < WARM; warm += size) once();
    // As many tasks in each round, whatever the size: a plan of ten takes less than a clock can tell.
    const repeats = LARGEST / size;
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) once();
      return performance.now() - start;
    });
    const each = (median(times) * 1000) / LARGEST;
    return {
      what: `compile, ${size.toLocaleString('en')} tasks`,
      figure: `${each.toFixed(1)} µs`,
      aim: 'aim ≤ 5 µs',
      note: 'a task',
    };
  });
}
