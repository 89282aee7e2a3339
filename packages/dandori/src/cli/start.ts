import { main } from './main.ts';

/**
 * Whoever reads may stop reading: `dandori show last | head -1`. Without a listener Node would end the process with a
 * stack, and with it a run that goes on whether or not anybody watches it. That nothing could be written for another
 * reason, such as a full disk, shows in the exit code.
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
