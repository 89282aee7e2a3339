import { jsonSource, notJson } from './json-source.ts';
import type { Path, Place } from './place.ts';
import type { LocatedProblem, Problem } from './problem.ts';
import { yamlSource } from './yaml-source.ts';

/** A file that a person wrote: its value, and where each part of it stands. */
export interface Source {
  readonly name: string;
  /** Plain JSON values; undefined where the file is empty. */
  readonly value: unknown;
  /** What is wrong with the file as YAML or JSON. Where there is any, `value` is not to be used. */
  readonly problems: readonly LocatedProblem[];
  /** The place of what is at the path, or of the nearest thing around it. */
  locate(path: Path, at: 'key' | 'value'): Place;
}

/** YAML takes ten seconds and a gigabyte for 10 MB, so what is JSON is read as JSON. */
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
