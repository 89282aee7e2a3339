import { hasEnded, lastDecision } from '../../core/state.ts';
import type { Action } from '../../domain/task.ts';
import type { Mind, Thinking, Thought } from '../../ports/mind.ts';
import { answerFrom, failureText, lastTasks, leftOverNote } from './answer.ts';
import { declineText, refusedText } from './decline.ts';
import type { DoneTask, Situation } from './draft.ts';
import { type Goal, readGoal } from './goal.ts';
import { literalText } from './literal.ts';
import { isOrder } from './order-form.ts';
import { nextMove } from './plan.ts';
import { indexOf } from './ranking.ts';

/**
 * The mind where no language model is configured: it matches words, takes arguments from the goal and chains tools
 * by their schemas. It invents nothing; where that is not enough, it says so.
 */
export function createBuiltInMind(): Mind {
  return { name: 'built-in', think: async (thought) => think(thought) };
}

function think(thought: Thought): Thinking {
  if (thought.signal.aborted) {
    return { kind: 'failed', failure: { kind: 'cancelled', message: 'The decision was cancelled.' } };
  }
  try {
    const { actions, reasoning } = decideOn(thought);
    for (const action of actions) thought.onAction?.(action);
    return { kind: 'decided', actions, ...(reasoning !== undefined && { reasoning }) };
  } catch (error) {
    return failed(
      `The built-in planner has a bug: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

interface Decided {
  readonly actions: readonly Action[];
  readonly reasoning?: string;
}

function decideOn(thought: Thought): Decided {
  const { state, purpose } = thought;
  const goal = readGoal(state.goal, state.startedAt);
  const telling = { ...thought, language: goal.language };
  const hasFailed = [...state.tasks.values()].some(
    ({ status }) => status === 'failed' || status === 'blocked',
  );
  if (hasFailed) return answer(thought, failureText(telling), false);
  if (purpose !== 'act' || state.planGiven) return closing(thought, goal);
  const diagnostics = lastDecision(state)?.diagnostics;
  if (diagnostics !== undefined) return answer(thought, refusedText(diagnostics, goal.language), false);
  if (state.settings.mode === 'direct') return decline(thought, goal, undefined);
  const move = nextMove(goal, situationOf(thought, goal));
  switch (move.kind) {
    case 'act':
      return move;
    case 'done':
      return answer(
        thought,
        answerFrom(move.tasks, telling) + leftOverNote(move.leftOver, goal.language),
        true,
      );
    case 'ask':
      return ask(move.question, move.options);
    case 'decline':
      return decline(thought, goal, move.nearest);
  }
}

/** No more tasks may be added: tell what the finished ones have brought. */
function closing(thought: Thought, goal: Goal): Decided {
  const { state, purpose } = thought;
  const telling = { ...thought, language: goal.language };
  const tasks = lastTasks(state);
  if (tasks.length === 0) return decline(thought, goal, undefined);
  const isAllDone = [...state.tasks.values()].every(({ status }) => hasEnded(status));
  const isReached = purpose === 'answer' || nextMove(goal, situationOf(thought, goal)).kind === 'done';
  return answer(thought, answerFrom(tasks, telling), isAllDone && isReached);
}

function situationOf({ state, tools, result }: Thought, goal: Goal): Situation {
  const done = [...state.tasks.values()]
    .filter(({ status }) => status === 'succeeded')
    .map(
      ({ task }): DoneTask => ({
        id: task.id,
        operation: task.operation,
        args: task.args,
        result: result(task.id),
      }),
    );
  const questions = [...state.questions.values()];
  return {
    index: indexOf(tools),
    order: state.settings.order,
    isAdaptive: state.settings.mode === 'adaptive',
    done,
    answerTo: (text) =>
      questions.find(({ question, answer }) => question.text === text && answer !== undefined)?.answer?.value,
    takenIds: new Set(state.tasks.keys()),
    mayChange: isOrder(goal),
  };
}

function answer({ onText, state }: Thought, text: string, isReached: boolean): Decided {
  onText?.(text);
  const args = {
    text: literalText(text),
    ...(isReached ? (state.planGiven ? {} : { achieved: true }) : { achieved: false }),
  };
  return { actions: [{ id: 'answer', operation: 'answer', args }] };
}

function ask(question: string, options: readonly string[]): Decided {
  const args = { question, ...(options.length > 0 && { options: [...options] }) };
  return { actions: [{ id: 'ask', operation: 'ask', args, reasoning: 'One argument is missing.' }] };
}

function decline(
  thought: Thought,
  goal: Goal,
  nearest: Parameters<typeof declineText>[0]['nearest'],
): Decided {
  const { tools, missing } = thought;
  return answer(thought, declineText({ language: goal.language, tools, missing, nearest }), false);
}

function failed(message: string): Thinking {
  return { kind: 'failed', failure: { kind: 'model_error', message } };
}
