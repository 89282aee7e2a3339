import type { Breach, Finding } from '../../model/finding.ts';
import { DamagedLine, goesOn, hasLostNewline, isBeginning, type LineForm, parseLine } from '../files/line.ts';
import type { Entry } from '../journal.ts';

const NEWLINE = 0x0a;

/** The form of a journal, and the laws that it must keep. */
export interface Lawful<E extends Entry> {
  readonly form: LineForm<E>;
  readonly breaches: (events: readonly E[]) => Breach[];
}

interface ExaminedJournal<E extends Entry> {
  /** All readable events, including those after a damaged line. */
  readonly events: readonly E[];
  readonly findings: readonly Finding[];
}

/**
 * Examines every line of a journal file, while a normal reader stops at the first damaged line. Finds every
 * changed byte and every line that was removed, inserted or moved. The one exception is missing lines at the
 * end: such a file looks the same as before they were written.
 */
export function examineJournal<E extends Entry>(
  bytes: Buffer,
  { file, id }: { file: string; id: string },
  { form, breaches }: Lawful<E>,
): ExaminedJournal<E> {
  const about = { file, [form.owner]: id };
  const found: Finding[] = [];
  const events: E[] = [];
  const seen = new Map<number, string>();
  /** The line of each event. */
  const lines: number[] = [];
  /** Where an unfinished append began. An append counts as a whole or not at all. */
  let append: { readonly start: number; readonly line: number; readonly events: number } | undefined;
  let isDamagedBefore = false;
  let last = 0;
  let start = 0;
  let line = 1;
  const report = (kind: Finding['kind'], detail: string, more: Partial<Finding> = {}) =>
    found.push({ kind, ...about, line, offset: start, detail, ...more });
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const text = bytes.toString('latin1', start, end);
    const place = { file, run: id, line, offset: start };
    const added = read(Buffer.from(bytes.subarray(start, end)), place, form);
    const first = typeof added === 'string' ? 0 : (added[0]?.seq ?? 0);
    if (typeof added === 'string') {
      report('damaged-line', added, { bytes: end - start });
      isDamagedBefore = true;
    } else if (first <= last) {
      const isTwice = seen.get(first) === text;
      if (isTwice) report('duplicated-line', `event ${first} appears there again`, { repair: 'ask' });
      else report('misplaced-line', `it has seq ${first}, after ${last}`);
    } else {
      if (!goesOn(bytes.subarray(start, end))) append = undefined;
      else append ??= { start, line, events: events.length };
      // A gap after a damaged line is most likely that line itself.
      if (first !== last + 1 && !isDamagedBefore)
        report('missing-line', `events ${last + 1} to ${first - 1} are missing before it`);
      for (const event of added) {
        events.push(event);
        lines.push(line);
      }
      seen.set(first, text);
      last = first + added.length - 1;
      isDamagedBefore = false;
    }
    start = end + 1;
    line++;
  }
  const tail = tailFinding(bytes.subarray(start), { owner: form.owner, id, seq: last + 1 });
  const isUnfinished = tail === undefined || tail.kind === 'torn-tail';
  if (append !== undefined && isUnfinished) {
    const detail = `the last write breaks off after event ${last}`;
    ({ start, line } = append);
    events.length = append.events;
    report('torn-tail', detail, { bytes: bytes.length - start, repair: 'safe' });
  } else if (tail !== undefined)
    report(tail.kind, tail.detail, { bytes: bytes.length - start, repair: tail.repair });
  if (found.length === 0 && events.length === 0) report('empty-journal', 'there is no event in it');
  if (found.every(({ kind }) => kind === 'torn-tail'))
    for (const { seq, message } of breaches(events))
      found.push({ kind: 'broken-law', ...about, line: lines[seq - 1] ?? line, detail: message });
  return { events, findings: found };
}

function read<E extends Entry>(
  bytes: Buffer,
  place: Omit<Parameters<typeof parseLine>[1], 'seq'>,
  form: Lawful<E>['form'],
): E[] | string {
  try {
    return parseLine(bytes, { ...place, seq: undefined }, form);
  } catch (error) {
    if (error instanceof DamagedLine) return error.reason;
    throw error;
  }
}

function tailFinding(
  tail: Buffer,
  { owner, id, seq }: { readonly owner: string; readonly id: string; readonly seq: number },
): Pick<Finding, 'kind' | 'detail' | 'repair'> | undefined {
  if (tail.length === 0) return undefined;
  if (hasLostNewline(tail, id) || hasLostNewline(tail.subarray(0, -1), id))
    return {
      kind: 'lost-newline',
      detail: 'the last event is complete, but its newline is missing',
      repair: 'ask',
    };
  if (isBeginning(tail, { [owner]: id, seq }))
    return { kind: 'torn-tail', detail: `event ${seq} was not completely written`, repair: 'safe' };
  return { kind: 'trailing-garbage', detail: `it is not the beginning of event ${seq}`, repair: 'ask' };
}
