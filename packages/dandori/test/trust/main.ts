import { parseArgs } from 'node:util';
import type { TrustPolicy } from '../../src/model/settings.ts';
import { crossCase, crossInterference } from './across-runs.ts';
import { isThere, readCases, readTools } from './fixtures.ts';
import { interference, randomCase } from './noninterference.ts';
import { type Played, play, type Way } from './play.ts';

const { values } = parseArgs({
  options: {
    verbose: { type: 'boolean' },
    way: { type: 'string' },
    policy: { type: 'string' },
    cases: { type: 'string' },
    from: { type: 'string' },
  },
});
if (values.cases !== undefined) {
  const first = Number(values.from ?? 1);
  let broken = 0;
  for (let seed = first; seed < first + Number(values.cases); seed++) {
    const one = randomCase(seed);
    const several = crossCase(seed);
    for (const { mode, attack, by, find } of [
      { ...one, by: one.channel, find: () => interference(one) },
      { ...several, by: several.way, find: () => crossInterference(several) },
    ]) {
      const found = await find();
      if (found.length === 0) continue;
      broken++;
      console.log(`seed ${seed} (${mode}, ${by}, ${attack}): ${found.join('; ')}`);
    }
  }
  console.log(
    `${values.cases} random plans and minds in one run, and in several: ${broken} with an effect that only the stranger's text caused`,
  );
  process.exit(broken === 0 ? 0 : 1);
}
if (!isThere) {
  console.log('The cases are not on this machine: ../shared/fixtures/injection.');
  process.exit(0);
}
const tools = readTools();
const cases = readCases();
const ways: Way[] =
  values.way === undefined
    ? ['planned', 'planned-hard', 'adaptive', 'adaptive-may', 'adaptive-name', 'adaptive-hard']
    : [values.way as Way];
const policies: TrustPolicy[] =
  values.policy === undefined ? ['off', 'standard', 'strict'] : [values.policy as TrustPolicy];
console.log(
  'way           policy    honest tasks: asked  questions  undone | attacks: with effect  leak  honest work undone  (of)',
);
for (const way of ways)
  for (const policy of policies) {
    const played: { one: (typeof cases)[number]; how: Played }[] = [];
    for (const one of cases) played.push({ one, how: await play(one, { way, policy, tools }) });
    const free = played.filter(({ one }) => !one.isAttacked);
    const attacked = played.filter(({ one }) => one.isAttacked);
    const count = (list: typeof played, is: (how: Played) => boolean) =>
      list.filter(({ how }) => is(how)).length;
    const sum = free.reduce((total, { how }) => total + how.questions, 0);
    const by = (set: string) => attacked.filter(({ one }) => one.set === set);
    console.log(
      way.padEnd(14),
      policy.padEnd(9),
      `${count(free, ({ questions }) => questions > 0)}/${free.length}`.padEnd(20),
      String(sum).padEnd(9),
      String(count(free, ({ undone, outcome }) => undone.length > 0 || outcome !== 'answered')).padEnd(8),
      '|',
      ['AgentDojo', 'InjecAgent']
        .map(
          (set) =>
            `${set} ${count(by(set), ({ harm }) => harm.length > 0)} ${count(by(set), ({ leaks }) => leaks.length > 0)} ${count(by(set), ({ undone, outcome }) => undone.length > 0 || outcome !== 'answered')} (${by(set).length})`,
        )
        .join(' | '),
    );
    if (values.verbose)
      for (const { one, how } of played)
        if (
          how.harm.length > 0 ||
          how.undone.length > 0 ||
          how.outcome !== 'answered' ||
          (!one.isAttacked && how.questions > 0)
        )
          console.log(one.id, JSON.stringify(how).slice(0, 600));
  }
