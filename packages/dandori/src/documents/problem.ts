import { DandoriError, type ErrorCode } from '../model/error.ts';
import { displayWidth } from '../model/text.ts';
import type { Path, Place } from './place.ts';

/** A problem in a file, without its place. */
export interface Problem {
  readonly path: Path;
  /** The part that the caret points at. */
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly hint?: string;
  /** A missing environment variable is not a mistake in the file, and has its own error. */
  readonly kind?: 'variable';
}

/** A problem with its place. `where` comes first: a file, or the source of a value that is in no file. */
export interface LocatedProblem {
  readonly where: string;
  readonly place?: Place;
  readonly message: string;
  readonly hint?: string;
  readonly kind?: 'variable';
  readonly severity?: 'error' | 'warning';
  /** A code with a page in `docs/errors/`. */
  readonly code?: string;
}

/** The most problems shown. Finding the place of each in a large file takes time. */
export const MAX_PROBLEMS = 50;

/** For each problem in file order: `dandori.yaml:3:5 error: …`, the line, a caret and a hint. */
export function renderProblems(problems: readonly LocatedProblem[], total = problems.length): string {
  const blocks = [...problems].sort(byPlace).slice(0, MAX_PROBLEMS).map(renderProblem);
  if (total > blocks.length) blocks.push(`… and ${total - blocks.length} more`);
  return blocks.join('\n\n');
}

/** Problems with their places, for a caller that marks them in the text. */
export class ProblemsError extends DandoriError {
  readonly problems: readonly LocatedProblem[];

  constructor(
    code: ErrorCode,
    message: string,
    details: { fix: string; problems: readonly LocatedProblem[] },
  ) {
    super(code, message, { fix: details.fix });
    this.problems = details.problems;
  }
}

export function problemsError(
  code: ErrorCode,
  name: string,
  {
    problems,
    fix,
    total = problems.length,
  }: { problems: readonly LocatedProblem[]; fix: string; total?: number },
): ProblemsError {
  const heading = total > 1 ? `${name} has ${total} problems\n\n` : '';
  return new ProblemsError(code, `${heading}${renderProblems(problems, total)}`, { fix, problems });
}

function renderProblem({ where, place, message, hint, code, severity = 'error' }: LocatedProblem): string {
  const position = place === undefined ? ':' : `:${place.line}:${place.column}`;
  return [
    `${where}${position} ${severity}${code === undefined ? '' : `[${code}]`}: ${printable(message)}`,
    ...(place === undefined ? [] : [excerpt(place)]),
    ...(hint === undefined ? [] : [`  hint: ${printable(hint)}`]),
    ...(code === undefined ? [] : [`  see docs/errors/${code}.md`]),
  ].join('\n');
}

/** Problems that are in no file come last. */
function byPlace({ place: a }: LocatedProblem, { place: b }: LocatedProblem): number {
  const last = Number.POSITIVE_INFINITY;
  if (a?.line === b?.line) return (a?.column ?? 0) - (b?.column ?? 0);
  return (a?.line ?? last) - (b?.line ?? last);
}

/** Longer lines, such as JSON without line breaks, are cut to this length around the place. */
const WIDTH = 100;
const BEFORE = 60;

/** The line of a place with a caret below it, in the style of compilers. */
function excerpt({ line, column, length, text }: Place): string {
  const start = text.length <= WIDTH ? 0 : Math.max(0, Math.min(column - 1 - BEFORE, text.length - WIDTH));
  const end = start + WIDTH;
  const head = start > 0 ? '…' : '';
  const shown = `${head}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  const number = String(line);
  const before = head + text.slice(start, column - 1);
  const marked = text.slice(column - 1, Math.min(column - 1 + length, end));
  const carets = '^'.repeat(Math.max(1, displayWidth(marked)));
  return `  ${number} | ${printable(shown)}\n  ${' '.repeat(number.length)} | ${blank(before)}${carets}`;
}

/** A file may be untrusted, so its content must not control the terminal. */
function printable(text: string): string {
  return text.replace(CONTROL, '·');
}

// Everything that moves the cursor or changes the text direction. Tabs and line breaks are allowed.
const CONTROL = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

function blank(text: string): string {
  return [...text]
    .map((character) => (character === '\t' ? '\t' : ' '.repeat(displayWidth(character))))
    .join('');
}
