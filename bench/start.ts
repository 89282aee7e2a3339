import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { median, type Row } from '../row.ts';
import type { Cost } from './cost.ts';

const ROUNDS = 7;

/** What a start costs, without the start of Node itself. The second process of a tool server counts too. */
export function coldStart(installed: string): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  const library = pathToFileURL(join(installed, 'lib/code/index.js')).href;
  const starts: Record<string, readonly string[]> = {
    node: ['-e', '0'],
    'import of the library': ['--input-type=module', '-e', `await import(${JSON.stringify(library)})`],
    'dandori run "1 + 2"': [join(installed, 'bin/dandori.js'), 'run', '1 + 2'],
  };
  const costs = new Map(Object.keys(starts).map((name): [string, Cost[]] => [name, []]));
  // The first round fills the compile cache.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, args] of Object.entries(starts)) {
      const cost = costOfProcess(args, folder);
      if (round > 0) costs.get(name)?.push(cost);
    }
  rmSync(folder, { recursive: true, force: true });
  const of = (name: string, part: keyof Cost) => median((costs.get(name) ?? []).map((cost) => cost[part]));
  return Object.keys(starts)
    .slice(1)
    .map((name) => ({
      what: `${name}, net of node`,
      figure: `${(of(name, 'cpu') - of('node', 'cpu')).toFixed(0)} ms CPU`,
      aim: name.startsWith('import') ? '≤ 100' : '≤ 350',
      note: `${(of(name, 'ms') - of('node', 'ms')).toFixed(0)} ms of time`,
    }));
}

/** `time` of the shell counts the processes that the child starts, too. */
function costOfProcess(args: readonly string[], cwd: string): Cost {
  const start = performance.now();
  const script = '"$@" >/dev/null 2>&1 </dev/null; times';
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  });
  const ms = performance.now() - start;
  const seconds = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return {
    ms,
    cpu: seconds.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60e3 + Number(rest) * 1e3, 0),
  };
}
