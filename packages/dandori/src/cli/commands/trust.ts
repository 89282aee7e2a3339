import type { Event } from '../../model/event.ts';
import { displayWidth } from '../../model/text.ts';
import { trustLines } from '../../views/trust.ts';
import { type PlanTrust, type ToolTrust, type TrustEntry, trustEntries } from '../../views/trust-report.ts';
import { oneLine, padded, printable, styleFor } from '../style.ts';
import type { Texts } from '../texts.ts';

/** `dandori tools --trust`: how the engine classifies each tool. */
export function printToolTrust(found: readonly ToolTrust[], { words, ...texts }: Texts): void {
  const style = styleFor(process.stdout);
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  const effectWidth = Math.max(...Object.values(words.effects).map(displayWidth));
  for (const { name, effect, trusted, wayOut, aim, isConfigured } of found) {
    const about = [
      trusted ? words.trust.trusted : words.trust.untrusted,
      ...(wayOut ? [words.trust.wayOut] : []),
      ...(effect === 'read' && !wayOut ? [] : [words.trust.aims(aim, isConfigured)]),
    ];
    const shown = trusted ? style.green : style.yellow;
    process.stdout.write(
      `${style.bold(printable(name).padEnd(width))}  ${padded(words.effects[effect], effectWidth)}  ${shown(printable(about.join(' · ')))}\n`,
    );
  }
  const missing = found
    .filter(({ trustMissing }) => trustMissing === true)
    .map(({ name }) => printable(name));
  if (missing.length > 0) process.stdout.write(`\n${words.trust.trustMissing(missing)}\n`);
  if (found.length === 0) process.stdout.write(`${texts.noTools}\n`);
}

/** `dandori check --trust`: what will be asked about each task, and why. */
export function printPlanTrust(found: readonly PlanTrust[], { words }: Texts): void {
  const style = styleFor(process.stdout);
  for (const { task, operation, verdict, values } of found) {
    const colour = verdict === 'asks' ? style.yellow : style.green;
    process.stdout.write(`  ${task} ${operation}: ${colour(words.trust.verdicts[verdict])}\n`);
    if (values.length === 0) continue;
    for (const line of trustLines({ because: 'aimed', values }, words))
      process.stdout.write(style.dim(`      ${oneLine(line, 200)}\n`));
  }
}

/** `dandori log --trust`: why each call was made or asked about. */
export function printTrustLog(events: readonly Event[], { words }: Texts): void {
  const style = styleFor(process.stdout);
  const entries = trustEntries(events);
  for (const entry of entries) {
    const time = new Date(entry.at).toISOString().slice(11, 23);
    const lines = linesOf(entry, words);
    process.stdout.write(
      `${style.dim(`${String(entry.seq).padStart(4)} ${time}`)} ${oneLine(lines[0] ?? '', 200)}\n`,
    );
    for (const line of lines.slice(1)) process.stdout.write(style.dim(`       ${oneLine(line, 200)}\n`));
  }
  if (entries.length === 0) process.stdout.write(`${words.trust.nothing}\n`);
}

function linesOf(entry: TrustEntry, { trust: say, ...words }: Texts['words']): string[] {
  switch (entry.kind) {
    case 'read':
      return [
        say.firstRead(entry.operation === undefined ? undefined : `${entry.operation} (${entry.task})`),
        ...(entry.unseen === undefined ? [] : [say.unseen(entry.unseen)]),
      ];
    case 'called':
      return [
        `${entry.operation} (${entry.task}): ${say.reasons[entry.because]}`,
        ...(entry.trust === undefined ? [] : trustLines(entry.trust, { ...words, trust: say })),
      ];
    case 'asked':
      return [
        `${entry.operation} (${entry.task ?? ''}): ${say.asked(entry.question)}`,
        ...trustLines(entry.trust, { ...words, trust: say }),
      ];
    case 'answered':
      return [say.answered(entry.question, entry.answer, entry.by)];
    case 'expired':
      return [say.expired(entry.question)];
    default:
      return entry satisfies never;
  }
}
