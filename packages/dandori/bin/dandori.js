#!/usr/bin/env node
// Plain JavaScript that any Node understands: it must be able to say that the Node it runs on is too old.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';

const NEEDED = [22, 18];
const { enableCompileCache } = module;

if (isEnough(process.versions.node)) {
  // Compiled code is kept between two starts; it halves the time to the first line.
  enableCompileCache?.();
  await import(entry());
} else reexecute();

function isEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** In the repository the source, which Node runs as it is; in the published package the bundle made of it. */
function entry() {
  const source = new URL('../src/cli/start.ts', import.meta.url);
  return existsSync(source) ? source.href : new URL('../lib/code/start.js', import.meta.url).href;
}

/** A newer Node may lie in node_modules, brought by npm as a package. */
function reexecute() {
  const newer = newerNode();
  if (newer === undefined) {
    console.error(`Dandori needs Node ${NEEDED.join('.')} or newer, and this is ${process.versions.node}.`);
    console.error('What to do: install a newer Node, or add one to your project: npm install node@24');
    process.exit(2);
  }
  // In a group of its own, so that a signal to ours reaches the child once, through us, and never twice.
  const child = spawn(newer, process.argv.slice(1), { stdio: 'inherit', detached: true });
  const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH'].filter((name) => name in constants.signals);
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`Cannot start ${newer}: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // Ended by a signal, as the child was; our own handlers would only swallow it.
    for (const name of forwarded) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

function newerNode() {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const name of [`node-${platform}-${process.arch}`, 'node']) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', file);
      if (existsSync(path)) return path;
    } catch {
      // Not installed; the next one may be.
    }
  }
  return undefined;
}
