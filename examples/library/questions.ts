import { openDandori, readPlanFile, stringifyJson } from 'dandori';

const plan = await readPlanFile(`${import.meta.dirname}/../plans/remove.plan.yaml`);

const dandori = await openDandori({
  onEvent: ({ seq, type }) => console.log(seq, type),
});

const compiled = await dandori.check(plan.tasks);
if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join('\n'));

let report = await dandori.run(plan.goal ?? 'Run the plan', { tasks: plan.tasks });
while (report.outcome === 'waiting') {
  for (const question of report.questions) {
    console.log(question.text, stringifyJson(question.context));
    await dandori.answer(report.run, question.id, 'reject');
  }
  report = await dandori.drive(report.run);
}
console.log(report.outcome, report.failure?.message);
await dandori.close();
