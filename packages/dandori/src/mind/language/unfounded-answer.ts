import { isOwnTool } from '../../model/own-tools.ts';
import type { Action } from '../../model/task.ts';
import type { Tool } from '../../model/tool.ts';
import type { Decision } from '../../run/state/state.ts';
import type { Thought } from '../mind.ts';
import { announcesOrRefuses, namesTool } from '../parsing/announcement.ts';
import { mayCallTools } from './dialects/json.ts';
import { needsTool } from './tool-need.ts';

/** The code of a decision that was refused because it only talked. */
export const NOTHING_DONE = 'nothing_done';

/** For the model. */
export const DO_IT_NOW =
  'nothing has been done yet. Call the tools that the goal needs now. If none is needed or it cannot be done, return one `answer`, with `achieved` false if it cannot be done';

interface Said {
  readonly thought: Thought;
  /** The model wrote text instead of the actions that were asked for. */
  readonly isProse: boolean;
  /** The text stands where the dialect expects actions, so it may be a decision that went wrong. */
  readonly isBroken: boolean;
}

/**
 * An answer before anything was done may be an announcement, a refusal, a false claim or a broken decision.
 * The model is asked once more, and an `answer` action then counts. If it only writes text again, the goal
 * was not reached. A plain answer to a question that needs no tool is accepted at once.
 */
export function judgeIdleAnswer(
  actions: readonly Action[],
  { thought, isProse, isBroken }: Said,
): 'fine' | 'ask_again' | 'not_achieved' {
  const answer = actions.find(({ operation }) => operation === 'answer');
  if (answer === undefined || actions.length > 1 || !isIdle(thought)) return 'fine';
  const text = String(answer.args.text ?? '');
  const before = thought.state.decisions.findLast(({ failure }) => failure?.kind !== 'model_error');
  const wasAsked = before?.failure?.code === NOTHING_DONE;
  if (!isProse)
    return wasAsked || answer.args.achieved === false || !announcesOrRefuses(text) ? 'fine' : 'ask_again';
  const tools = usableTools(thought);
  const isTalk =
    announcesOrRefuses(text) ||
    namesTool(
      text,
      tools.map(({ name }) => name),
    ) ||
    needsTool(thought.state.goal, tools);
  if (wasAsked) return isTalk || isBroken ? 'not_achieved' : 'fine';
  return isTalk || (isBroken && wasUnusable(before)) ? 'ask_again' : 'fine';
}

/** Tools may be called, and none has succeeded. */
function isIdle(thought: Thought): boolean {
  const { tasks } = thought.state;
  const isDone = tasks.values().some(({ status }) => status === 'succeeded');
  return mayCallTools(thought) && !isDone && usableTools(thought).length > 0;
}

function usableTools({ tools }: Thought): Tool[] {
  return [...tools.values()].filter((tool) => !isOwnTool(tool));
}

function wasUnusable(decision: Decision | undefined): boolean {
  return decision?.failure?.kind === 'unusable_output';
}
