/**
 * `npm test`: the checks and the tests at the same time, so that no core waits. What the checks say comes at their end; if
 * they find something, the tests are stopped. Arguments go to vitest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

// On Windows, npm and vitest are scripts, which only a shell starts.
const shell = process.platform === 'win32';
const check = spawn('npm', ['run', '--silent', 'check'], { shell, stdio: ['ignore', 'pipe', 'pipe'] });
const tests = spawn('vitest', ['run', ...process.argv.slice(2)], { shell, stdio: 'inherit' });
const tested = once(tests, 'close');
const said = await Promise.all([text(check.stdout), text(check.stderr)]);
if (check.exitCode === null) await once(check, 'close');
if (check.exitCode !== 0) {
  tests.kill('SIGINT');
  await tested;
  process.stderr.write(said.join(''));
}
const [code] = await tested;
process.exitCode = check.exitCode === 0 ? (code ?? 1) : 1;
