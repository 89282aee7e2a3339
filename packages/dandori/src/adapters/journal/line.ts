import { isUtf8 } from 'node:buffer';
import { DandoriError } from '../../domain/error.ts';
import { type Event, envelopeSchema, factSchema } from '../../domain/event.ts';

export function toLine(event: Event): string {
  return `${JSON.stringify(event)}\n`;
}

/** Where a line stands, so that damage can be named. */
export interface Place {
  readonly file: string;
  readonly run: string;
  readonly line: number;
  readonly offset: number;
  /** What must come next; undefined where the reader began in the middle. */
  readonly seq: number | undefined;
}

export function parseLine(bytes: Buffer, place: Place): Event {
  if (!isUtf8(bytes)) damaged(place, 'it is no UTF-8');
  const value = parseJson(bytes.toString('utf8'), place);
  const envelope = envelopeSchema.safeParse(value);
  if (!envelope.success)
    damaged(place, `it is no event of a version that is known here (${firstIssue(envelope.error)})`);
  const fact = factSchema.safeParse(value);
  if (!fact.success) damaged(place, `it is no known event (${firstIssue(fact.error)})`);
  const { v, run, seq, at } = envelope.data;
  if (run !== place.run) damaged(place, `it belongs to the run ${run}`);
  if (place.seq !== undefined && seq !== place.seq)
    damaged(place, `it has seq ${seq} where ${place.seq} must come`);
  return { v, run, seq, at, ...fact.data } as Event;
}

function parseJson(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return damaged(place, `it is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function firstIssue(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  return issue === undefined ? 'unknown form' : `${issue.path.join('.')}: ${issue.message}`;
}

export function damaged(
  { file, line, offset }: Pick<Place, 'file' | 'line' | 'offset'>,
  reason: string,
): never {
  throw new DandoriError('journal-damaged', `${file}: line ${line} (byte ${offset}) is damaged: ${reason}.`, {
    fix: 'Bring the file back from a backup. Nothing was changed, and other runs are not affected.',
  });
}
