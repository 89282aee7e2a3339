#!/usr/bin/env node
// Plain JavaScript for any Node version: this file must be able to report that the Node is too old.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';

const { enableCompileCache } = module;
const SOURCE = new URL('../src/cli/start.ts', import.meta.url);
/** The repository has the source, which Node runs directly. The published package has only the bundle. */
const IS_SOURCE = existsSync(SOURCE);
/** The bundle runs on the lowest Node in `engines`. The source uses syntax (`using`) that needs Node 24. */
const NEEDED = IS_SOURCE ? [24, 0] : [22, 18];

if (isEnough(process.versions.node)) {
  // Keeps compiled code between starts, which halves the time to the first line.
  enableCompileCache?.();
  await import(IS_SOURCE ? SOURCE.href : new URL('../lib/code/start.js', import.meta.url).href);
} else reexecute();

function isEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** Restarts with a newer Node from node_modules, if npm has installed one as a package. */
function reexecute() {
  const newer = newerNode();
  if (newer === undefined) {
    console.error(tooOld());
    process.exit(2);
  }
  // The child gets its own process group. A signal to our group then reaches it once, forwarded by us, and
  // not twice.
  const child = spawn(newer, process.argv.slice(1), { stdio: 'inherit', detached: true });
  const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH'].filter((name) => name in constants.signals);
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`Cannot start ${newer}: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // End by the same signal as the child. Our own handlers would swallow it.
    for (const name of forwarded) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

function tooOld() {
  const [needed, found] = [NEEDED.join('.'), process.versions.node];
  const { DANDORI_LANG, LC_ALL, LC_MESSAGES, LANG } = process.env;
  if ((DANDORI_LANG || LC_ALL || LC_MESSAGES || LANG || '').startsWith('ja'))
    return `Dandori には Node ${needed} 以降が必要です（現在は ${found}）。
対処：新しい Node をインストールするか、プロジェクトに追加してください：  npm install node@24`;
  return `Dandori needs Node ${needed} or newer. This is ${found}.
Fix: Install a newer Node, or add one to your project:  npm install node@24`;
}

/** Accepts only a Node that is new enough. An old one would run this search again and find itself forever. */
function newerNode() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const name of [`node-${platform}-${process.arch}`, 'node']) {
    try {
      const manifest = require.resolve(`${name}/package.json`);
      const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
      const path = join(dirname(manifest), 'bin', file);
      if (existsSync(path) && isEnough(version.replace(/^v/, ''))) return path;
    } catch {
      // Not installed: try the next package.
    }
  }
  return undefined;
}
