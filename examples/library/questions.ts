import { openDandori, readPlanFile, stringifyJson } from 'dandori';

const plan = await readPlanFile(`${import.meta.dirname}/../plans/remove.plan.yaml`);

const dandori = await openDandori({
  onQuestion(question) {
    console.log(question.text, stringifyJson(question.context));
    return 'reject';
  },
});

const compiled = await dandori.check(plan.tasks);
if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join('\n'));

const run = dandori.run(plan.goal ?? 'Run the plan', { tasks: plan.tasks });
for await (const { seq, type } of run) console.log(seq, type);

const report = await run.report();
console.log(report.outcome, report.failure?.message);
await dandori.close();
