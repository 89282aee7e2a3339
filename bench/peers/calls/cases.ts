import type { Json, Tool } from 'dandori';
import { type Case, Tasks } from './case.ts';

const IP = (index: number) => `203.0.113.${10 + index}`;
const STEPS = 20;
const LARGE_STEPS = 5;
const LARGE_ROWS = 400;

const WORK: Tool = {
  name: 'work.do',
  server: 'work',
  description: 'Perform one unit of work.',
  effect: 'read',
  trusted: true,
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, inputs: { type: 'string' } },
    required: ['name'],
  },
  outputSchema: { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] },
};

export const CASES: readonly Case[] = [
  noTool(),
  twoDependent(),
  tenIndependent(),
  graph(),
  errorInTheMiddle(),
  twentySteps(),
  largeResults('first'),
  largeResults('last'),
  oneTool(),
];

function noTool(): Case {
  return {
    name: 'no tool',
    goal: 'What is the capital of Japan?',
    answer: 'The capital of Japan is Tokyo.',
    tasks: [],
    plans: [],
  };
}

function twoDependent(): Case {
  const tasks = new Tasks();
  const place = tasks.add('places.locate_ip', { ip: IP(0) });
  const weather = tasks.add('places.get_weather', { city: `\${${place}.city}` });
  return {
    name: 'two dependent tasks',
    goal: `What is the weather where the address ${IP(0)} is?`,
    ...answered(
      tasks,
      `It is \${${weather}.condition} in \${${place}.city}, with \${${weather}.temperature_c} °C.`,
    ),
    tasks: tasks.list,
    plans: [idsOf(tasks)],
  };
}

function tenIndependent(): Case {
  const tasks = new Tasks();
  for (let index = 0; index < 10; index++) tasks.add('places.locate_ip', { ip: IP(index) });
  return {
    name: 'ten independent tasks',
    goal: `In which cities are the ten addresses from ${IP(0)} to ${IP(9)}?`,
    ...answered(tasks, tasks.list.map(({ id, args }) => `${args.ip}: \${${id}.city}`).join('\n')),
    tasks: tasks.list,
    plans: [idsOf(tasks)],
  };
}

/** 8 places, their 8 temperatures, 8 conversions; then 3, 2 and 1 comparison: 30 tasks in 6 rounds. */
function graph(): Case {
  const tasks = new Tasks();
  const eight = Array.from({ length: 8 }, (_, index) => index);
  const places = eight.map((index) => tasks.add('places.locate_ip', { ip: IP(index) }));
  const weathers = places.map((id) => tasks.add('places.get_weather', { city: `\${${id}.city}` }));
  let values = weathers.map((id) =>
    tasks.add('calc.evaluate', { expression: `\${${id}.temperature_c} * 9 / 5 + 32` }),
  );
  for (const groups of [3, 2, 1]) {
    const size = Math.ceil(values.length / groups);
    values = Array.from({ length: groups }, (_, group) => {
      const parts = values.slice(group * size, (group + 1) * size).map((id) => `\${${id}.result}`);
      return tasks.add('calc.evaluate', { expression: `max(${parts.join(', ')})` });
    });
  }
  return {
    name: 'graph of 30 tasks, depth 6',
    goal: `What is the highest temperature in °F where the eight addresses from ${IP(0)} to ${IP(7)} are? Compare them in groups of three, then the groups.`,
    ...answered(tasks, `The highest temperature is \${${values[0]}.result} °F.`),
    tasks: tasks.list,
    plans: [idsOf(tasks)],
  };
}

/** The weather cannot be had; the database knows it too. */
function errorInTheMiddle(): Case {
  const tasks = new Tasks();
  const place = tasks.add('places.locate_ip', { ip: IP(3) });
  const weather = tasks.add(
    'places.get_weather',
    { city: `\${${place}.city}` },
    { error: 'The weather service is closed until tomorrow.' },
  );
  const inVain = tasks.add('calc.evaluate', { expression: `\${${weather}.temperature_c} * 9 / 5 + 32` });
  const query = tasks.add(
    'sqlite.execute_safe_query',
    { query: `SELECT temperature_c FROM weather WHERE city = '\${${place}.city}'` },
    {
      needs: [weather],
      result: { columns: ['temperature_c'], rows: [{ temperature_c: 17 }], row_count: 1, truncated: false },
    },
  );
  const sum = tasks.add('calc.evaluate', { expression: `\${${query}.rows[0].temperature_c} * 9 / 5 + 32` });
  return {
    name: 'error in the middle',
    goal: `What is the temperature in °F where the address ${IP(3)} is? The table weather of the database (city, temperature_c) knows it too.`,
    ...answered(tasks, `It is \${${sum}.result} °F there.`),
    tasks: tasks.list,
    plans: [
      [place, weather, inVain],
      [query, sum],
    ],
    onlyPlanned: new Set([inVain]),
  };
}

/** If each result says what to do next, no library can plan ahead. */
function twentySteps(): Case {
  const tasks = new Tasks();
  let table = 'trail';
  let before: string[] = [];
  for (let step = 1; step <= STEPS; step++) {
    const next = `trail_${(step * 37) % 101}`;
    const note =
      step === STEPS ? 'This is the end.' : `Go on in the table ${next}, at the row with this key.`;
    const key = `k${(step * 7919) % 10007}`;
    const id = tasks.add(
      'sqlite.execute_safe_query',
      { query: `SELECT note, key FROM ${table} WHERE step = ${step}` },
      {
        needs: before,
        result: { columns: ['note', 'key'], rows: [{ note, key }], row_count: 1, truncated: false },
      },
    );
    table = next;
    before = [id];
  }
  return {
    name: 'twenty steps, each decided by the last',
    goal: 'Follow the trail that begins in the table trail of the database: each row says where to go on.',
    answer: 'The trail ends after twenty steps.',
    tasks: tasks.list,
  };
}

/** Each result has 40 kB, and one value of it is needed: in its first row, which a digest shows, or in its last. */
function largeResults(where: 'first' | 'last'): Case {
  const tasks = new Tasks();
  const place = where === 'first' ? 0 : LARGE_ROWS - 1;
  const path = `rows[${where === 'first' ? 0 : -1}].next`;
  let before = '';
  for (let step = 1; step <= LARGE_STEPS; step++) {
    const batch = step === 1 ? 'b0' : `\${${before}.${path}}`;
    before = tasks.add(
      'sqlite.execute_safe_query',
      { query: `SELECT * FROM batches WHERE batch = '${batch}' ORDER BY id`, limit: LARGE_ROWS },
      { result: rows(step, place) },
    );
  }
  return {
    name: `chain of five results of 40 kB, the ${where} row counts`,
    goal: `Begin with the batch b0 of the table batches: the ${where} row of each names the next one in the column next. Which batch does the fifth one name?`,
    ...answered(tasks, `The fifth batch names \${${before}.${path}}.`),
    tasks: tasks.list,
    plans: [idsOf(tasks)],
    ...(where === 'last' && { hidden: path }),
  };
}

function rows(step: number, place: number): Json {
  const list = Array.from({ length: LARGE_ROWS }, (_, index) => ({
    id: step * 1000 + index,
    next: index === place ? `b${step}` : '',
    item: `an item of the batch with the number ${(index * 7919 + step) % 10007}`,
    price: (index * 31 + step) % 500,
  }));
  const columns = ['id', 'next', 'item', 'price'];
  return { columns, rows: list, row_count: LARGE_ROWS, truncated: false };
}

/** 30 calls of one small tool with hardly any text: what is left are the instructions and the frame of each call. */
function oneTool(): Case {
  const tasks = new Tasks();
  let before: string[] = [];
  for (const width of [1, 3, 5, 2, 6, 4, 1, 5, 3]) {
    const layer = Array.from({ length: width }, (_, index) => {
      const from = before[index % before.length];
      const inputs = from === undefined ? '' : `\${${from}.mark}`;
      const number = tasks.list.length;
      return tasks.add('work.do', { name: `n${number}`, inputs }, { result: { mark: `m${number}` } });
    });
    before = layer;
  }
  return {
    name: '30 tasks with one small tool',
    goal: 'Do the work of the graph n0 to n29.',
    ...answered(tasks, `It is done: \${${before[0]}.mark}.`),
    tasks: tasks.list,
    plans: [idsOf(tasks)],
    tools: [WORK],
  };
}

function answered(tasks: Tasks, plannedAnswer: string): Pick<Case, 'answer' | 'plannedAnswer'> {
  return { answer: tasks.filled(plannedAnswer), plannedAnswer };
}

function idsOf({ list }: Tasks): string[] {
  return list.map(({ id }) => id);
}
