import { fold } from '../../core/apply.ts';
import { assertNever } from '../../domain/error.ts';
import type { Json } from '../../domain/json.ts';
import type { Question } from '../../domain/question.ts';
import { addBudget, addNote, answerQuestion, cancelRun, continueRun, pauseRun } from '../../engine/inbox.ts';
import type { Parts } from '../../engine/parts.ts';
import { effectsOf, type Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Who is asked. Tells the truth about what happened, by looking at the world. */
export interface Person {
  /** Answers what is open, as far as it can be known by now; false where something has to be waited for. */
  answer(run: string, parts: Parts): Promise<boolean>;
  cancel(run: string, parts: Parts): Promise<void>;
  addBudget(run: string, parts: Parts): Promise<void>;
  tell(run: string, parts: Parts): Promise<void>;
  pause(run: string, parts: Parts): Promise<void>;
  goOn(run: string, parts: Parts): Promise<void>;
}

const LOOK = 5;

/** What a question about a call in doubt says of it. */
interface InDoubt {
  readonly operation: string;
  readonly open?: { readonly args: { readonly name: string } };
}

export function createPerson(scenario: Scenario, world: World): Person {
  function answerTo({ kind, task = '', context }: Question): Json | undefined {
    switch (kind) {
      case 'in_doubt':
        return truthOf(task, context as unknown as InDoubt);
      case 'plan_approval':
        return 'approve';
      case 'elicitation':
        return { action: 'decline' };
      case 'approval':
        return scenario.behaviours.get(task)?.isRefused ? 'reject' : 'approve';
      case 'ambiguity':
        // The other one touches something else, and whether that is still possible hangs on the moment.
        return scenario.isGenerous ? 1 : 2;
      case 'missing_input':
        return 'blue';
      default:
        return assertNever(kind);
    }
  }

  /** Of a service: whether the call that it was in took effect, and if there is none, that it is not over. */
  function truthOf(task: string, { operation, open }: InDoubt): Json | undefined {
    const names = open === undefined ? effectsOf({ id: task, operation }) : [open.args.name];
    if (names.some((name) => world.isUnderWay(name))) return undefined;
    const isDone = names.every((name) => world.effects(name) > 0);
    if (!isDone) return 'again';
    return open === undefined ? 'happened' : 'again_after';
  }

  return {
    async answer(run, parts) {
      const state = fold(await parts.journal.read(run));
      if (state === undefined || state.end !== undefined || scenario.isPersonSilent) return true;
      // To look takes a moment; what a driver has just decided to call is under way by then.
      await new Promise<void>((resolve) => parts.clock.at(parts.clock.now() + LOOK, resolve));
      let isAll = true;
      for (const { question, answer } of state.questions.values()) {
        if (answer !== undefined) continue;
        const truth = answerTo(question);
        if (truth === undefined) isAll = false;
        else await answerQuestion({ run, question: question.id, answer: truth }, parts);
      }
      return isAll;
    },
    cancel: (run, parts) => cancelRun({ run, reason: 'changed my mind' }, parts),
    addBudget: (run, parts) =>
      addBudget({ run, steps: 50, calls: 50, tasks: 50, time: 1e10, revisions: 5 }, parts),
    tell: (run, parts) => addNote({ run, text: 'the sooner the better' }, parts),
    pause: (run, parts) => pauseRun({ run, reason: 'lunch' }, parts),
    goOn: (run, parts) => continueRun({ run }, parts),
  };
}
