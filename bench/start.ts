import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entryOf, packageFolders } from './library.ts';
import type { Cost } from './product/cost.ts';
import { median, type Row } from './row.ts';

const ROUNDS = 15;

interface Start {
  readonly args: readonly string[];
  readonly aim?: string;
}

/** The first leaves a run to show. */
function startsOf(installed: string): Record<string, Start> {
  const library = JSON.stringify(pathToFileURL(entryOf(installed)).href);
  const script = (text: string) => ['--input-type=module', '-e', text];
  const command = (...args: string[]) => [join(installed, 'bin/dandori.js'), ...args];
  return {
    'dandori run "1 + 2"': { args: command('run', '1 + 2'), aim: '≤ 350' },
    // Calculated by mathjs in the process of the server.
    'dandori run "2 ^ 10"': { args: command('run', '2 ^ 10') },
    "import 'dandori'": { args: script(`await import(${library})`), aim: '≤ 100' },
    'import, open and close': {
      args: script(`const { openDandori } = await import(${library}); await (await openDandori()).close();`),
    },
    'dandori --help': { args: command('--help'), aim: '≤ 100' },
    'dandori show last': { args: command('show', 'last') },
    'dandori tools': { args: command('tools') },
    'dandori chat, at the end of its input': { args: command('chat') },
  };
}

/**
 * CPU time of a start, without that of Node itself, of the built package in turns. A second process of a tool server
 * counts too. `DANDORI_DIR` names another package, or several to compare, as in `PATH`.
 */
export async function start(): Promise<Row[]> {
  const packages = packageFolders();
  const measured = packages.flatMap((path) =>
    Object.entries(startsOf(path)).map(([name, { args, aim }]) => ({
      what: `${name}${packages.length > 1 ? `, ${basename(path) === 'dist' ? dirname(path) : path}` : ''}`,
      args,
      aim,
      costs: [] as Cost[],
    })),
  );
  const node = { args: ['-e', '0'], costs: [] as Cost[] };
  const folder = mkdtempSync(join(tmpdir(), 'dandori-bench-'));
  // The first round fills the compile cache.
  for (let round = 0; round <= ROUNDS; round++)
    for (const { args, costs } of [node, ...measured]) {
      const cost = costOfProcess(args, folder);
      if (round > 0) costs.push(cost);
    }
  rmSync(folder, { recursive: true, force: true });
  const of = (costs: readonly Cost[], part: keyof Cost) => median(costs.map((cost) => cost[part]));
  return measured.map(({ what, aim, costs }) => ({
    what: `${what}, net of node`,
    figure: `${(of(costs, 'cpu') - of(node.costs, 'cpu')).toFixed(0)} ms CPU`,
    ...(aim !== undefined && { aim }),
    note: `${(of(costs, 'ms') - of(node.costs, 'ms')).toFixed(0)} ms of time`,
  }));
}

/** `times` of the shell counts the processes that the child starts, too. */
function costOfProcess(args: readonly string[], cwd: string): Cost {
  const from = performance.now();
  const script = '"$@" >/dev/null 2>&1 </dev/null; times';
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  });
  const ms = performance.now() - from;
  const seconds = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return {
    ms,
    cpu: seconds.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60e3 + Number(rest) * 1e3, 0),
  };
}
