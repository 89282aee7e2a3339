import { main } from './main.ts';

/**
 * A reader may close the pipe early: `dandori show last | head -1`. Without a listener, Node would then crash
 * the process, and with it the run. Other write errors, such as a full disk, set the exit code.
 */
let isOutputLost = false;
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.exitCode ||= 1;
  process.stderr.write(`Cannot write the output: ${error.message}\n`);
});

const exitCode = await main(process.argv.slice(2));
process.exitCode = isOutputLost ? exitCode || 1 : exitCode;
