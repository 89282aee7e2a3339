import { languageOf } from '../../core/language.ts';
import { createWords, type Words } from '../../core/redact.ts';
import { lastDecision, type RunState } from '../../core/state.ts';
import type { Action } from '../../domain/task.ts';
import type { Mind, Thinking, Thought } from '../../ports/mind.ts';
import { literal, type Problem } from './chain.ts';
import { type Goal, readGoal } from './goal.ts';
import { type NextMove, nextMove } from './plan.ts';
import { indexOf } from './ranking.ts';
import { answerText, declineText, failureText, leftOverText, refusedText, vetoedText } from './texts.ts';

/**
 * The mind where no language model is configured: it matches words, takes arguments from the goal and chains tools
 * by their schemas. It invents nothing; where that is not enough, it says so.
 */
export function createBuiltInMind(): Mind {
  return { name: 'built-in', think: async (thought) => think(thought) };
}

function think(thought: Thought): Thinking {
  if (thought.signal.aborted)
    return { kind: 'failed', failure: { kind: 'cancelled', message: 'The decision was cancelled.' } };
  try {
    const words = createWords();
    const decided = words.back(decideOn(thought, words));
    for (const action of decided.actions) thought.onAction?.(action);
    return { kind: 'decided', ...decided };
  } catch (error) {
    const message = `The built-in planner has a bug: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'failed', failure: { kind: 'model_error', message } };
  }
}

interface Decided {
  readonly actions: readonly Action[];
  readonly reasoning?: string;
}

function decideOn(thought: Thought, words: Words): Decided {
  const { state, purpose } = thought;
  const language = languageOf(state);
  const goal = readGoal(words.hide(state.goal), language);
  const telling = { ...thought, language };
  const statuses = [...state.tasks.values()].map(({ status }) => status);
  if (statuses.includes('failed') || statuses.includes('blocked'))
    return answer(thought, failureText(lastTasks(state), telling), false);
  if (purpose === 'generate') return decline(thought, goal);
  if (purpose !== 'act' || state.planGiven) return closing(thought, goal, words);
  const { diagnostics, veto } = lastDecision(state) ?? {};
  if (veto !== undefined) return answer(thought, vetoedText(veto, language), false);
  if (diagnostics !== undefined) return answer(thought, refusedText(diagnostics, language), false);
  if (state.settings.mode === 'direct') return decline(thought, goal);
  const move = moveFor(thought, goal, words);
  switch (move.kind) {
    case 'act':
      return { actions: move.actions, reasoning: move.reasoning };
    case 'done':
      return answer(thought, answerText([move.task], telling) + leftOverText(move.leftOver, language), true);
    case 'ask':
      return { actions: [{ id: 'ask', operation: 'ask', args: move.args, reasoning: move.reasoning }] };
    case 'decline':
      return decline(thought, goal, move.problems);
  }
}

/** No more tasks may be added: tell what the finished ones have brought. */
function closing(thought: Thought, goal: Goal, words: Words): Decided {
  const { state, purpose } = thought;
  const tasks = lastTasks(state);
  if (tasks.length === 0) return decline(thought, goal);
  const isReached = state.planGiven ? purpose === 'answer' : moveFor(thought, goal, words).kind === 'done';
  return answer(thought, answerText(tasks, { ...thought, language: goal.language }), isReached);
}

/** Succeeded tasks whose results no other task has used: what the plan was made for. */
function lastTasks({ tasks }: RunState): string[] {
  const done = [...tasks.values()].filter(({ status }) => status === 'succeeded');
  const used = new Set(done.flatMap(({ needs }) => needs));
  return done.map(({ task }) => task.id).filter((id) => !used.has(id));
}

/** A secret is a word here as in the goal, so that what was done is found again. */
function moveFor({ state, tools, result }: Thought, goal: Goal, words: Words): NextMove {
  const done = [...state.tasks.values()].filter(({ status }) => status === 'succeeded');
  const questions = [...state.questions.values()];
  return nextMove({
    goal,
    index: indexOf(tools),
    order: state.settings.order,
    isAdaptive: state.settings.mode === 'adaptive',
    done: done.map(({ task: { id, operation, args } }) =>
      words.hide({ id, operation, args, result: result(id) }),
    ),
    answerTo: (text) =>
      words.hide(questions.find(({ question }) => words.hide(question.text) === text)?.answer?.value),
  });
}

function answer({ onText }: Thought, text: string, achieved: boolean): Decided {
  onText?.(text);
  return { actions: [{ id: 'answer', operation: 'answer', args: { text: literal(text), achieved } }] };
}

function decline(thought: Thought, { language }: Goal, problems: readonly Problem[] = []): Decided {
  return answer(thought, declineText(thought, problems, language), false);
}
