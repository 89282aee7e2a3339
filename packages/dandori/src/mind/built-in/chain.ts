import type { Json, JsonObject } from '../../domain/json.ts';
import { addStep, type Chaining, type Problem, type Step } from './draft.ts';
import type { Parameter } from './parameter.ts';
import type { ToolCard } from './ranking.ts';
import { type Sourced, source } from './source.ts';
import { selectFrom, tableParameter } from './sql.ts';

/** `later`: earlier steps must be done before this one can be written. `undefined`: something is missing. */
export interface Resolved {
  readonly outcome: Step | 'later' | undefined;
  readonly problems: readonly Problem[];
}

const DEEPEST = 4;

/**
 * Makes the step that calls a tool and, backwards, the steps that give what it needs.
 *
 * C1  No tool is needed to make its own input: a tool on the way is not tried again, and the way has a bound.
 * C2  Tools that an order rule puts before this one come before it.
 * C3  Only reads are added on the way; a write is never somebody's means.
 */
export function resolve(card: ToolCard, chaining: Chaining, stack: readonly string[] = []): Resolved {
  const { draft } = chaining;
  if (stack.length >= DEEPEST || stack.includes(card.tool.name) || draft.effort.left-- <= 0) return FAILED;
  const before = prerequisites(card, chaining, stack);
  if ('problems' in before) return { outcome: undefined, problems: before.problems };
  const problems: Problem[] = [];
  const args: [string, Json][] = [];
  let isLater = before.isLater;
  for (const parameter of inOrder(card.parameters)) {
    const sourced = sourceOf(card, parameter, { chaining, stack });
    if (sourced.kind === 'value') args.push([parameter.name, sourced.value]);
    else if (sourced.kind === 'later') isLater = true;
    else if (parameter.isRequired)
      problems.push(sourced.problem ?? { card, parameter, reason: 'missing', choices: [] });
  }
  if (problems.length > 0) return { outcome: undefined, problems };
  if (!draft.cards.includes(card)) draft.cards.push(card);
  if (isLater) return { outcome: 'later', problems: [] };
  return {
    outcome: addStep(chaining, card, { args: inSchemaOrder(card, args), after: before.ids }),
    problems: [],
  };
}

const FAILED: Resolved = { outcome: undefined, problems: [] };

type Before =
  | { readonly ids: string[]; readonly isLater: boolean }
  | { readonly problems: readonly Problem[] };

/** Ids of the steps that order rules put before this tool. */
function prerequisites(card: ToolCard, chaining: Chaining, stack: readonly string[]): Before {
  const ids: string[] = [];
  let isLater = false;
  for (const { before, after } of chaining.order) {
    if (after !== card.tool.name) continue;
    const earlier = chaining.index.byName.get(before);
    if (earlier === undefined || earlier.tool.effect !== 'read') return { problems: [] };
    const { outcome, problems } = resolve(earlier, chaining, [...stack, card.tool.name]);
    if (outcome === undefined) return { problems };
    if (outcome === 'later') isLater = true;
    else ids.push(outcome.id);
  }
  return { ids, isLater };
}

function sourceOf(
  card: ToolCard,
  parameter: Parameter,
  { chaining, stack }: { chaining: Chaining; stack: readonly string[] },
): Sourced {
  const need = {
    card,
    parameter,
    chaining,
    stack,
    resolve: (other: ToolCard, within: Chaining, way: readonly string[]) =>
      resolve(other, within, way).outcome,
  };
  const sourced = source(need);
  if (sourced.kind !== 'nothing' || parameter.kind !== 'sql' || !parameter.isRequired) return sourced;
  const table = source({ ...need, parameter: tableParameter() });
  return table.kind === 'value' ? selectFrom(table, chaining) : table;
}

/** What must be there chooses first from the goal. */
function inOrder(parameters: readonly Parameter[]): Parameter[] {
  return [
    ...parameters.filter(({ isRequired }) => isRequired),
    ...parameters.filter(({ isRequired }) => !isRequired),
  ];
}

function inSchemaOrder({ parameters }: ToolCard, args: readonly [string, Json][]): JsonObject {
  const given = new Map(args);
  return Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const value = given.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
