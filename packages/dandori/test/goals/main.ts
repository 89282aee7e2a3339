import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMemoryStore, loadConfig, openDandori, type Report } from '../../src/index.ts';

/**
 * Runs sets of 100 everyday goals with the built-in planner and the shipped servers, and prints how they ended:
 * `right`, `honest` (the planner says that it cannot do it), or `wrong` (it answers something else).
 */
const goalSchema = z.strictObject({
  goal: z.string(),
  says: z.array(z.string()).optional(),
  asks: z.string().optional(),
  unknown: z.boolean().optional(),
});
type Goal = z.infer<typeof goalSchema>;
type Verdict = 'right' | 'honest' | 'wrong';

/** Both languages, each with the set that the planner was built with and a second one. */
export const SETS = ['en', 'ja', 'second/en', 'second/ja'] as const;

type Choose = (goals: readonly Goal[]) => readonly Goal[];

/** `set`: the path of a YAML file without its ending, from here. `choose`: which of its goals, otherwise all. */
export async function runGoals(
  set: string,
  choose: Choose = (all) => all,
): Promise<{ goal: Goal; verdict: Verdict; text: string }[]> {
  const file = resolve(import.meta.dirname, `${set}.yaml`);
  const goals = choose(z.array(goalSchema).parse(parse(readFileSync(file, 'utf8'))));
  const folder = mkdtempSync(join(tmpdir(), 'dandori-goals-'));
  process.env.DANDORI_DATA_DIR = folder;
  const config = await loadConfig({ cwd: folder, env: { ...process.env, DANDORI_DATA_DIR: folder } });
  const dandori = await openDandori({ config, store: createMemoryStore() });
  try {
    const results = [];
    for (const goal of goals) {
      const report = await dandori.run(goal.goal).report();
      results.push({ goal, verdict: verdictOf(goal, report), text: textOf(report) });
    }
    return results;
  } finally {
    await dandori.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function verdictOf(goal: Goal, report: Report): Verdict {
  if (report.outcome === 'waiting')
    return new RegExp(goal.asks ?? '(?!)').test(textOf(report)) ? 'right' : 'wrong';
  if (report.outcome !== 'answered') return goal.unknown === true ? 'right' : 'honest';
  const answer = textOf(report)
    .normalize('NFKC')
    .replaceAll(/(?<=\d),(?=\d{3})/g, '');
  const isRight = goal.says?.every((pattern) => new RegExp(pattern).test(answer)) ?? false;
  return isRight ? 'right' : 'wrong';
}

function textOf({ answer, failure, questions }: Report): string {
  if (questions.length > 0)
    return questions.map(({ text, context }) => `${text} ${JSON.stringify(context)}`).join(' ');
  return answer ?? failure?.message ?? '';
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    options: { all: { type: 'boolean' } },
    allowPositionals: true,
  });
  for (const set of positionals.length > 0 ? positionals : SETS) {
    const results = await runGoals(set);
    const count = (verdict: Verdict) => results.filter((one) => one.verdict === verdict).length;
    console.log(`${set}: ${count('right')} right, ${count('honest')} honest, ${count('wrong')} wrong`);
    for (const { goal, verdict, text } of results) {
      if (verdict === 'right' && values.all !== true) continue;
      console.log(
        `  ${verdict.padEnd(6)} ${goal.goal}\n         → ${text.replaceAll('\n', ' ').slice(0, 200)}`,
      );
    }
  }
}
