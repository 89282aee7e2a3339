import { renderDiagnostics } from '../config/diagnostics.ts';
import { readPlanFile } from '../config/plan-file.ts';
import { openDandori } from '../dandori.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { styleFor } from './style.ts';
import { textsFor } from './texts.ts';

export async function check(file: string, options: { config?: string; json?: boolean }): Promise<number> {
  const plan = await readPlanFile(file);
  await using dandori = await openDandori({ configFile: options.config });
  const compiled = dandori.check(plan.tasks);
  if (options.json === true) process.stdout.write(`${JSON.stringify(compiled)}\n`);
  else if (compiled.ok) {
    const style = styleFor(process.stdout);
    process.stdout.write(
      `${style.green('✓')} ${textsFor({ language: dandori.config.language }).planFits(compiled.tasks.length)}\n`,
    );
    for (const { id, effect, needs = [], waits = [] } of compiled.tasks) {
      const after = [...needs, ...waits];
      process.stdout.write(
        `  ${id} ${effect}${after.length > 0 ? style.dim(` after ${after.join(', ')}`) : ''}\n`,
      );
    }
  } else process.stderr.write(`${renderDiagnostics(compiled.diagnostics, plan)}\n`);
  return compiled.ok ? 0 : EXIT_USAGE;
}
