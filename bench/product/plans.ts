import { median, type Row } from '../row.ts';
import type { OpenedDandori } from './contenders.ts';
import { type Cost, costOf } from './cost.ts';

const SIZES = [30, 300, 990];
const ROUNDS = 5;

/** A given plan without work: layers of ten reads, each after two of the layer before. No model is asked. */
function planOf(size: number): { id: string; operation: string; args: object; after?: string[] }[] {
  return Array.from({ length: size }, (_, index) => {
    const above = Math.floor(index / 10) * 10 - 10;
    const after = [above + (index % 10), above + ((index + 1) % 10)].map((one) => `t${one}`);
    return { id: `t${index}`, operation: 'work', args: { ms: 0, size: 2 }, ...(above >= 0 && { after }) };
  });
}

/** What a task of a given plan costs. */
export async function plans(contenders: readonly OpenedDandori[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    const tasks = planOf(size);
    for (const one of contenders) {
      await one.runPlan(tasks);
      const costs: Cost[] = [];
      for (let round = 0; round < ROUNDS; round++) costs.push(await costOf(() => one.runPlan(tasks)));
      const each = (part: 'cpu' | 'ms') => (median(costs.map((cost) => cost[part])) * 1000) / size;
      rows.push({
        what: `a task of a given plan of ${size}: ${one.name}`,
        figure: `${each('cpu').toFixed(0)} µs CPU`,
        aim: size === 30 ? '≤ 60' : '≤ 25 to 60',
        note: `${each('ms').toFixed(0)} µs of time`,
      });
    }
  }
  return rows;
}
