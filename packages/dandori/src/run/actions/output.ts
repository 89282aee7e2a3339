import type { JsonObject } from '../../model/json.ts';
import type { Action } from '../../model/task.ts';
import type { SchemaCheck, Tool } from '../../model/tool.ts';
import { checkArguments } from '../../plan/check-arguments.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import { reached } from '../limits.ts';
import { lastDecision, type RunState } from '../state/state.ts';
import type { ParsedActions } from './parse-actions.ts';

/** For a list with a thousand wrong rows, the first issues are enough. */
const MOST_ISSUES = 10;

interface Checking {
  readonly state: RunState;
  readonly check: SchemaCheck;
}

/**
 * Why the output of an answer does not fit, as far as it is known when the answer is written. Refs to tasks that
 * have not run are checked against what their tools promise, like the arguments of a task.
 */
export function outputProblem(
  { operations, tasks }: ParsedActions,
  { state, check, tools }: Checking & { readonly tools: ReadonlyMap<string, Tool> },
): string | undefined {
  const answer = operations.find(({ operation }) => operation === 'answer');
  if (state.output === undefined || answer === undefined || !mustFit(answer, state)) return undefined;
  const { output } = answer.args;
  if (output === undefined) return `answer: "output" is missing. ${NEEDED}`;
  if (refsIn({ output }).length === 0) return misfit(check(state.output, output));
  const { $defs, ...schema } = state.output;
  const inputSchema: JsonObject = {
    type: 'object',
    properties: { output: schema },
    ...($defs !== undefined && { $defs }),
  };
  const tool: Tool = {
    name: 'answer',
    server: '',
    description: '',
    inputSchema,
    effect: 'read',
    trusted: true,
  };
  const operationOf = ({ id, operation }: Action) => [id, operation] as const;
  const found = checkArguments(
    { id: answer.id, operation: 'answer', args: { output } },
    {
      tools: new Map([...tools, ['answer', tool]]),
      check,
      mode: state.settings.mode,
      operations: new Map([
        ...[...state.tasks.values()].map(({ task }) => operationOf(task)),
        ...tasks.map(operationOf),
      ]),
      warnings: [],
    },
    new Map(),
  );
  return misfit(
    found.map(({ path = [], message, hint }) => ({ path, message: hint ? `${message} (${hint})` : message })),
  );
}

const NEEDED = 'Give the answer again with "output": a value that fits the schema.';

/** An answer that says that the goal was not reached needs no output. */
function mustFit({ args: { achieved } }: Action, { thinking }: RunState): boolean {
  return thinking?.purpose === 'conclude' ? achieved === true : achieved !== false;
}

/** What does not fit, in words for the mind. */
export function misfit(
  issues: readonly { readonly path: readonly (string | number)[]; readonly message: string }[],
) {
  if (issues.length === 0) return undefined;
  const said = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'output'}: ${message}`);
  return `answer: the output does not fit its schema: ${said.join('; ')}. ${NEEDED}`;
}

/** Whether the mind is told what does not fit and answers again. It is told as often as it may repair a decision. */
export function mayAnswerAgain(state: RunState, now: number): boolean {
  const told = state.notes.filter(({ passedOnBy }) => passedOnBy?.run === state.run).length;
  const isClosing = lastDecision(state)?.purpose === 'conclude';
  return told < state.settings.repairs && !isClosing && reached(state, now) === undefined;
}
