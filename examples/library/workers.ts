import { openDandori } from 'dandori';

const dandori = await openDandori({
  workers: 2,
  services: [`${import.meta.dirname}/../services/letters.ts`],
});
const runs = ['Sato', 'Suzuki', 'Tanaka'].map((name) =>
  dandori.run(`Find ${name}`, {
    tasks: [{ id: 't1', operation: 'letters.find_person', args: { name } }],
  }),
);
const reports = await Promise.all(runs.map((run) => run.report()));
console.log(reports.map(({ outcome, tasks }) => [outcome, tasks.t1?.result]));
await dandori.close();
