import {
  addBudget,
  addNote,
  answerQuestion,
  cancelRun,
  continueRun,
  pauseRun,
} from '../../src/commands/index.ts';
import type { Parts } from '../../src/driver/index.ts';
import { assertNever } from '../../src/model/error.ts';
import { asObject, isObject, type Json } from '../../src/model/json.ts';
import type { Question } from '../../src/model/question.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { FaultAt } from './faults.ts';
import type { SimulatedProcess } from './machine.ts';
import { effectsOf, type Scenario } from './scenario.ts';
import type { Simulation } from './simulation.ts';
import type { World } from './world.ts';

/** The simulated user. Answers truthfully, by checking the world. */
export interface Person {
  /** Answers the open questions as far as the answers are known. False if some are not known yet. */
  answer(run: string, parts: Parts): Promise<boolean>;
  cancel(run: string, parts: Parts): Promise<void>;
  addBudget(run: string, parts: Parts): Promise<void>;
  tell(run: string, parts: Parts): Promise<void>;
  pause(run: string, parts: Parts): Promise<void>;
  goOn(run: string, parts: Parts): Promise<void>;
}

const LOOK = 5;
/** Of one call, until the user gives it up. */
const MOST_ATTEMPTS = 50;

export function createPerson(scenario: Scenario, world: World): Person {
  function answerTo({ kind, task = '', context }: Question): Json | undefined {
    switch (kind) {
      case 'in_doubt':
        return truthOf(task, context);
      case 'plan_approval':
        return 'approve';
      case 'elicitation':
        return { action: 'decline' };
      case 'approval':
        return scenario.behaviours.get(task)?.isRefused ? 'reject' : 'approve';
      case 'ambiguity':
        // The second option uses another resource. Whether that is still possible depends on timing.
        return scenario.isGenerous ? 1 : 2;
      case 'missing_input':
        return 'blue';
      default:
        return assertNever(kind);
    }
  }

  /**
   * For a service: whether its open inner call took effect. Without an open inner call, whether all its
   * effects happened.
   */
  function truthOf(task: string, context: Json | undefined): Json | undefined {
    const { operation, open, attempt } = asObject(context);
    const name = isObject(open) && isObject(open.args) ? open.args.name : undefined;
    const names = open === undefined ? effectsOf({ id: task, operation: String(operation) }) : [String(name)];
    if (names.some((name) => world.isUnderWay(name))) return undefined;
    const isDone = names.every((name) => world.effects(name) > 0);
    // A server that is dead for good never does it.
    if (!isDone) return Number(attempt) > MOST_ATTEMPTS ? 'give_up' : 'again';
    return open === undefined ? 'happened' : 'again_after';
  }

  return {
    async answer(run, parts) {
      const state = fold(await parts.journal.read(run));
      if (state === undefined || state.end !== undefined || scenario.isPersonSilent) return true;
      // Checking takes a moment, so a call that a driver has just decided on is running by then.
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

const DAY = 86_400_000;
/** Milliseconds, about as long as answering takes. */
const CLOSE = 10;
/** Milliseconds. */
const LONGEST_DEAFNESS = 8_000;

/** What can happen at any moment. */
export const MOMENTS: Record<FaultAt<'moment'>, (simulation: Simulation) => void> = {
  crash({ drivers, random }) {
    [...drivers][random.below(drivers.size)]?.die();
  },
  machine_crash: ({ disk }) => disk.powerCut(),
  cancel: ({ command, person }) => command((run, parts) => person.cancel(run, parts)),
  early_answer: ({ command, person }) => command((run, parts) => person.answer(run, parts)),
  early_budget: ({ command, person }) => command((run, parts) => person.addBudget(run, parts)),
  note: ({ command, person }) => command((run, parts) => person.tell(run, parts)),
  pause: ({ command, person }) => command((run, parts) => person.pause(run, parts)),
  early_continue: ({ command, person }) => command((run, parts) => person.goOn(run, parts)),
  /** Sets the wall clock to just before the expiry. The answer arrives at about the same time. */
  question_expires({ timeline, random, expiry, command, person }) {
    const left = expiry() - timeline.wall;
    if (!Number.isFinite(left) || left < CLOSE) return;
    timeline.jump(left - random.below(CLOSE));
    command((run, parts) => person.answer(run, parts));
  },
  second_driver: ({ startDriver }) => startDriver(),
  third_driver({ startDriver }) {
    startDriver();
    startDriver();
  },
  lease_ended: ({ leases, holder }) => withHolder(holder(), leases.end),
  stopped: ({ leases, holder }) => withHolder(holder(), leases.stop),
  cut_off: ({ leases, holder }) => withHolder(holder(), leases.cutOff),
  notices_lost: ({ disk, random }) => disk.loseNotices(random.below(LONGEST_DEAFNESS)),
  /**
   * Tests the second line of defence: two drivers at once that do not know of each other. A process that stands still
   * is left alone: it may be about to make a call whose start it has just journaled, and makes it when it goes on.
   * Nothing tells it that the claim is gone, so no driver could be right.
   */
  claim_lost({ file, startDriver }) {
    if (file().claim?.by.isStopped) return;
    file().claim = undefined;
    startDriver();
  },
  clock_forward: ({ timeline, random }) => timeline.jump(random.below(random.pick([1_000, DAY]))),
  clock_back: ({ timeline, random }) => timeline.jump(-random.below(random.pick([1_000, DAY]))),
};

function withHolder(
  process: SimulatedProcess | undefined,
  happen: (process: SimulatedProcess) => void,
): void {
  if (process !== undefined) happen(process);
}
