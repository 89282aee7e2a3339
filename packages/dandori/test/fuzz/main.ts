/** `npm run fuzz -- --requests 10000 [--seed N] [--json]`: requests made from the server's own description. */

import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const fuzzed = await fuzz(Number(values.requests), seed);
if (values.json) console.log(JSON.stringify({ seed, ...fuzzed }));
else {
  const statuses = Object.entries(fuzzed.statuses).map(([status, count]) => `${status}: ${count}`);
  console.log(`requests  ${fuzzed.requests} (seed ${seed})`);
  console.log(`statuses  ${statuses.join(', ')}`);
  console.log(
    `routes    ${fuzzed.answered.length} answered with success, not ${fuzzed.unanswered.join(', ') || 'none'}`,
  );
  console.log(`runs      ${fuzzed.runs}`);
  console.log(`findings  ${fuzzed.findings.length}`);
  for (const { what, request } of fuzzed.findings.slice(0, 40)) console.log(`- ${what}\n  ${request}`);
}
process.exitCode = fuzzed.findings.length > 0 ? 1 : 0;
