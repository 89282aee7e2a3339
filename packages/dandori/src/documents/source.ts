import { jsonSource, notJson } from './json-source.ts';
import type { Path, Place } from './place.ts';
import type { LocatedProblem, Problem } from './problem.ts';
import { yamlSource } from './yaml-source.ts';

/** A file written by a user: its value, and the place of each part. */
export interface Source {
  readonly name: string;
  /** Plain JSON values. Undefined if the file is empty. */
  readonly value: unknown;
  /** Syntax problems as YAML or JSON. If there are any, do not use `value`. */
  readonly problems: readonly LocatedProblem[];
  /** The place of the value at the path, or of its nearest existing parent. */
  locate(path: Path, at: 'key' | 'value'): Place;
}

/** JSON is parsed as JSON, because the YAML parser takes ten seconds and a gigabyte for 10 MB. */
export function openSource(text: string, name: string): Source {
  const source = jsonSource(text, name) ?? yamlSource(text, name);
  const [first] = source.problems;
  if (first === undefined || !name.toLowerCase().endsWith('.json')) return source;
  const found = notJson(text);
  return found === undefined
    ? source
    : { ...source, problems: [{ ...found, where: name, place: found.place ?? first.place }] };
}

export function locateProblem(problem: Problem, source: Source): LocatedProblem {
  const { path, at, ...rest } = problem;
  return { ...rest, where: source.name, place: source.locate(path, at) };
}
