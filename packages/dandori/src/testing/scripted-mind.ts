import type { Mind, Thinking, Thought } from '../mind/index.ts';
import type { Action } from '../model/task.ts';

/** One turn of the mind: its actions, a complete `Thinking`, or a function that returns one of them. */
export type Reply =
  | readonly ScriptedAction[]
  | Thinking
  | ((thought: Thought) => readonly ScriptedAction[] | Thinking);

/** An action whose irrelevant fields a test can omit. */
export type ScriptedAction = Partial<Action> & Pick<Action, 'operation'>;

export interface ScriptedMind extends Mind {
  /** Every thought that was requested. */
  readonly thoughts: readonly Thought[];
  /** Throws if the mind was asked more or less often than the script says. */
  verify(): void;
}

export function createScriptedMind(script: readonly Reply[], name = 'scripted'): ScriptedMind {
  const thoughts: Thought[] = [];
  return {
    name,
    thoughts,
    async think(thought) {
      thoughts.push(thought);
      const reply = script[thoughts.length - 1];
      if (reply === undefined) {
        const message = `The script has ${script.length} replies and the mind was asked ${thoughts.length} times.`;
        return { kind: 'failed', failure: { kind: 'model_error', message } };
      }
      const said = typeof reply === 'function' ? reply(thought) : reply;
      return 'kind' in said ? said : { kind: 'decided', actions: said.map(complete) };
    },
    verify() {
      if (thoughts.length === script.length) return;
      throw new Error(
        `The script has ${script.length} replies and the mind was asked ${thoughts.length} times.`,
      );
    },
  };
}

function complete(action: ScriptedAction, index: number): Action {
  return { id: `t${index + 1}`, args: {}, ...action };
}
