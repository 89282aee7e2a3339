import { stringifyJson } from '../domain/json-text.ts';
import type { Loop } from '../domain/loop.ts';
import { canonical } from './canonical.ts';
import { type Decision, hasEnded, type RunState, type TaskState } from './state.ts';
import { isStep } from './step.ts';

/** How far back is looked: who comes back to the same place after more turns than these is not going in a circle. */
const WINDOW = 8;
/** A call that gives the same three times may be waiting for something; it is told that nothing changes. */
const SAME_RESULTS = 3;
const SAME_FAILURES = 2;
const TURNS_WITHOUT_SUCCESS = 3;

/** What a turn of the mind did: its calls, each with how it ended. */
interface Turn {
  readonly calls: readonly Called[];
  /** Steps, where it did nothing but open them. */
  readonly opened: readonly string[];
}

interface Called {
  readonly task: string;
  readonly call: string;
  /** The call together with its outcome. */
  readonly whole: string;
  readonly isFailed: boolean;
}

/** The circle in which the last turn of the mind moves, if any. Told to the mind once; the second time ends the run. */
export function findLoop(state: RunState): Loop | undefined {
  if (state.planGiven) return undefined;
  const turns = turnsOf(state);
  const last = turns.at(-1);
  if (last === undefined || turns.length < 2) return undefined;
  if (last.calls.length === 0) return growing(turns);
  const calling = turns.filter(({ calls }) => calls.length > 0);
  return repeated(calling, last) ?? pingPong(calling) ?? withoutProgress(calling);
}

/** The number of the decision that `findLoop` looks at. */
export function lastTurn({ decisions }: RunState): number {
  return decisions.findLast(({ proposed }) => proposed.length > 0)?.number ?? 0;
}

function turnsOf(state: RunState): Turn[] {
  return state.decisions
    .filter(({ proposed, diagnostics }) => proposed.length > 0 && diagnostics === undefined)
    .slice(-WINDOW)
    .map((decision) => ({ calls: callsOf(decision, state), opened: openedBy(decision) }))
    .filter(({ calls, opened }) => calls.length + opened.length > 0);
}

function openedBy({ proposed }: Decision): string[] {
  return proposed.every(isStep) ? proposed.map(({ id }) => id) : [];
}

function callsOf({ proposed }: Decision, { tasks }: RunState): Called[] {
  return proposed.flatMap(({ id }) => {
    const task = tasks.get(id);
    return task === undefined || task.sent === undefined || !hasEnded(task.status) ? [] : [called(task)];
  });
}

function called({ task, sent, status, result, failure }: TaskState): Called {
  const call = `${task.operation} ${stringifyJson(canonical(sent ?? {}))}`;
  const stored = result === undefined ? '' : 'blob' in result ? result.blob.sha256 : result.value;
  const outcome = status === 'succeeded' ? stringifyJson(stored) : `${failure?.kind}: ${failure?.message}`;
  return { task: task.id, call, whole: `${call} → ${status} ${outcome}`, isFailed: status === 'failed' };
}

/** Counted by turns: whoever writes one call twice in one list has a reason, or at least does it no more than once. */
function repeated(turns: readonly Turn[], last: Turn): Loop | undefined {
  for (const { whole, call, isFailed } of last.calls) {
    const found = turns.flatMap(({ calls }) => {
      const same = calls.find((one) => (isFailed ? one.isFailed && one.call === call : one.whole === whole));
      return same === undefined ? [] : [same.task];
    });
    // One that was planned twice and called once is one.
    const alike = [...new Set(found)];
    if (isFailed && alike.length >= SAME_FAILURES) return { kind: 'same_failure', tasks: alike };
    if (!isFailed && alike.length >= SAME_RESULTS) return { kind: 'same_result', tasks: alike };
  }
  return undefined;
}

function pingPong(turns: readonly Turn[]): Loop | undefined {
  const four = turns.slice(-4);
  const [first, second, third, fourth] = four.map(({ calls }) => calls.map(({ whole }) => whole).join('\n'));
  if (four.length < 4 || first !== third || second !== fourth || first === second) return undefined;
  return { kind: 'ping_pong', tasks: four.flatMap(({ calls }) => calls.map(({ task }) => task)) };
}

/** A plan to which parts are added that nobody fills. */
function growing(turns: readonly Turn[]): Loop | undefined {
  const recent = turns.slice(-TURNS_WITHOUT_SUCCESS);
  const isGrowing =
    recent.length === TURNS_WITHOUT_SUCCESS && recent.every(({ calls }) => calls.length === 0);
  return isGrowing ? { kind: 'no_progress', tasks: recent.flatMap(({ opened }) => opened) } : undefined;
}

function withoutProgress(turns: readonly Turn[]): Loop | undefined {
  const recent = turns.slice(-TURNS_WITHOUT_SUCCESS);
  const isStuck = recent.every(({ calls }) => calls.every(({ isFailed }) => isFailed));
  if (recent.length < TURNS_WITHOUT_SUCCESS || !isStuck) return undefined;
  return { kind: 'no_progress', tasks: recent.flatMap(({ calls }) => calls.map(({ task }) => task)) };
}
