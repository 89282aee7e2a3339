import type { Event } from '../../model/event.ts';
import { stringifyJson } from '../../model/json.ts';
import { describeEvent } from '../../views/event-line.ts';
import { trustEntries } from '../../views/trust-report.ts';
import { announceTorn } from '../announce.ts';
import { oneLine, styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';
import { findRun, openWorkplace } from '../workplace.ts';
import { printTrustLog } from './trust.ts';

export async function log(
  name: string,
  options: { config?: string; json?: boolean; follow?: boolean; trust?: boolean },
): Promise<number> {
  await using dandori = await openWorkplace({
    configFile: options.config,
    tools: false,
    onTorn: (tail) => announceTorn(tail, textsFor({ language: dandori.config.language })),
  });
  const run = await findRun(name, dandori);
  if (options.trust === true) {
    const events = await dandori.events(run, 0);
    if (options.json === true)
      for (const entry of trustEntries(events)) process.stdout.write(`${stringifyJson(entry)}\n`);
    else printTrustLog(events, textsFor({ language: dandori.config.language }));
    return 0;
  }
  let seen = 0;
  let hasEnded = false;
  let wake = () => {};
  const unwatch = dandori.watch(run, () => wake());
  // The reader of the pipe is gone: `dandori log last --follow | head -1`.
  process.stdout.once('error', () => {
    hasEnded = true;
    wake();
  });
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const event of await dandori.events(run, seen)) {
        seen = event.seq;
        hasEnded ||= event.type === 'run_finished';
        process.stdout.write(options.json === true ? `${stringifyJson(event)}\n` : `${lineOf(event)}\n`);
      }
      if (options.follow !== true || hasEnded) return 0;
      // The watcher alone does not keep the process alive.
      const alive = setInterval(() => {}, 60_000);
      await changed.finally(() => clearInterval(alive));
    }
  } finally {
    unwatch();
  }
}

function lineOf(event: Event): string {
  const style = styleFor(process.stdout);
  const time = new Date(event.at).toISOString().slice(11, 23);
  return `${style.dim(`${String(event.seq).padStart(4)} ${time}`)} ${style.bold(event.type)} ${oneLine(describeEvent(event), 160)}`;
}
