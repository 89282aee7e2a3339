import type { Counted } from '../../history/index.ts';
import { stringifyJson } from '../../model/json.ts';
import { displayWidth } from '../../model/text.ts';
import { durationText } from '../../views/report.ts';
import { durationIn } from '../command-line.ts';
import { padded, printable, type Style, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { openWorkplace } from '../workplace.ts';

/** The most failed tools, and the most damaged runs, to show. */
const MAX_SHOWN = 20;
/** The progress is updated after this many runs. */
const TOLD_EVERY = 100;

export async function stats(options: { config?: string; json?: boolean; since?: string }): Promise<number> {
  const since = options.since === undefined ? undefined : Date.now() - durationIn('--since', options.since);
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const texts = textsFor({ language: dandori.config.language });
  const waiting = showReading(texts);
  const counted = await dandori.statistics({ since, onRead: waiting.read });
  waiting.end();
  if (options.json === true) process.stdout.write(`${stringifyJson(counted)}\n`);
  else for (const line of linesOf(counted, texts)) process.stdout.write(`${line}\n`);
  return 0;
}

/** Shows progress on a terminal only. In a log it would be noise. */
function showReading(texts: Texts): { read(count: number): void; end(): void } {
  if (process.stderr.isTTY !== true) return { read() {}, end() {} };
  let isShown = false;
  return {
    read(count) {
      if (count % TOLD_EVERY !== 0) return;
      isShown = true;
      process.stderr.write(`\r${styleFor(process.stderr).dim(texts.reading(count))}\u001b[K`);
    },
    end() {
      if (isShown) process.stderr.write('\r\u001b[K');
    },
  };
}

function linesOf(counted: Counted, { statistics: texts, more, words, comma }: Texts): string[] {
  const style = styleFor(process.stdout);
  const { runs, outcomes, completionRate, tokens, cost, satisfaction, damaged } = counted;
  const ended = runs - outcomes.waiting - outcomes.paused - outcomes.open;
  const happened = (Object.keys(outcomes) as (keyof typeof outcomes)[]).filter(
    (outcome) => outcomes[outcome] > 0,
  );
  const parts = happened.map((outcome) => `${words.statuses[outcome]} ${outcomes[outcome]}`).join(comma);
  const perRun = ({ total, perRun: average }: Counted['revisions']) =>
    texts.perRun(total, average.toFixed(1));
  const rows: [string, string][] = [
    [texts.runs, parts === '' ? String(runs) : texts.withParts(runs, parts)],
    [texts.completed, completionRate === null ? '–' : texts.ofEnded(percent(completionRate), ended)],
    [texts.duration, timesText(counted, texts)],
    [texts.modelCalls, perRun(counted.modelCalls)],
    [texts.revisions, perRun(counted.revisions)],
    [texts.tokens, texts.inAndOut(tokens.input.toLocaleString('en'), tokens.output.toLocaleString('en'))],
    [texts.cost, cost === null ? '–' : `$${cost.toFixed(4)}`],
    [texts.timeouts, String(counted.timeouts)],
    [
      texts.satisfaction,
      satisfaction === null ? '–' : texts.ratings(satisfaction.mean.toFixed(1), satisfaction.count),
    ],
  ];
  const width = Math.max(...rows.map(([name]) => displayWidth(name)));
  return [
    ...rows.map(([name, value]) => `${style.bold(padded(name, width))}  ${value}`),
    ...toolLines(counted, { texts, style, more }),
    ...(damaged.length === 0 ? [] : [style.red(texts.damaged(damaged.length))]),
    ...damaged.slice(0, MAX_SHOWN).map(({ run, reason }) => `  ${run}  ${printable(reason)}`),
    ...(damaged.length > MAX_SHOWN ? [`  ${more(damaged.length - MAX_SHOWN)}`] : []),
  ];
}

function timesText({ duration: times }: Counted, texts: Texts['statistics']): string {
  return times === null ? '–' : texts.meanAndMedian(durationText(times.meanMs), durationText(times.medianMs));
}

interface Wording {
  readonly texts: Texts['statistics'];
  readonly style: Style;
  readonly more: Texts['more'];
}

/** The tools that fail most come first. Tools that never failed are only in `--json`. */
function toolLines({ tools }: Counted, { texts, style, more }: Wording): string[] {
  const failing = Object.entries(tools)
    .filter(([, { errorRate }]) => errorRate > 0)
    .sort(([, a], [, b]) => b.errorRate - a.errorRate);
  if (failing.length === 0) return [];
  const width = Math.max(...failing.slice(0, MAX_SHOWN).map(([name]) => displayWidth(name)));
  return [
    style.bold(texts.tools),
    ...failing
      .slice(0, MAX_SHOWN)
      .map(
        ([name, { failed, inDoubt, calls, errorRate }]) =>
          `  ${padded(printable(name), width)}  ${percent(errorRate).padStart(4)}  ${texts.ofCalls(failed + inDoubt, calls)}`,
      ),
    ...(failing.length > MAX_SHOWN ? [`  ${more(failing.length - MAX_SHOWN)}`] : []),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
