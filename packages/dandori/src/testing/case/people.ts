import { fold } from '../../core/apply.ts';
import type { OpenQuestion, RunState } from '../../core/state.ts';
import type { CaseCommand } from '../../domain/case.ts';
import { DandoriError } from '../../domain/error.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import { answerQuestion } from '../../engine/answer.ts';
import { addBudget, addNote, continueRun, pauseRun } from '../../engine/inbox.ts';
import type { Parts } from '../../engine/parts.ts';
import type { StepClock } from '../step-clock.ts';

/** Those who did something in a recorded run, and do it again when it is time. */
export interface CasePeople {
  /** Does what comes while the run is driven. To be called whenever the journal has changed. */
  listen(): Promise<void>;
  /** Does what comes when the run stands still; false where nothing does. */
  goOn(state: RunState): Promise<boolean>;
  /** What was never done. */
  problems(state: RunState): string[];
}

export interface PeopleParts {
  readonly run: string;
  readonly parts: Parts;
  readonly clock: StepClock;
}

export function createCasePeople(
  recorded: readonly CaseCommand[],
  { run, parts, clock }: PeopleParts,
): CasePeople {
  const commands = [...recorded];

  function take(fits: (command: CaseCommand) => boolean): CaseCommand | undefined {
    const index = commands.findIndex(fits);
    return index === -1 ? undefined : commands.splice(index, 1)[0];
  }

  async function answer(asked: OpenQuestion, { isHeld }: { isHeld: boolean }): Promise<boolean> {
    const taken = take(
      (command) =>
        command.answer !== undefined &&
        isAbout(command.answer, asked) &&
        (command.answer.text ?? asked.question.text) === asked.question.text &&
        (!isHeld || command.answer.held === true),
    );
    if (taken?.answer === undefined) return false;
    const { value, declined, comment } = taken.answer;
    const [by] = asked.question.answerers ?? [];
    await answerQuestion({ run, question: asked.question.id, answer: value, declined, comment, by }, parts);
    return true;
  }

  /** Of what comes at a moment the first that has not been done: what people do keeps its order. */
  async function atMoment(begun: number): Promise<void> {
    for (;;) {
      const next = commands.find(({ note, pause }) => note !== undefined || pause !== undefined);
      const moment = next?.note?.decision ?? next?.pause?.decision ?? Number.POSITIVE_INFINITY;
      if (next === undefined || moment > begun) return;
      take((command) => command === next);
      if (next.note !== undefined) await addNote({ run, ...next.note }, parts);
      if (next.pause !== undefined) await pauseRun({ run, reason: next.pause.reason }, parts);
    }
  }

  async function lookNow(): Promise<void> {
    const events = await parts.journal.read(run);
    const state = fold(events);
    if (state === undefined || state.end !== undefined) return;
    // What comes too late, as the run went another way, shows in what came of it.
    await atMoment(events.filter(({ type }) => type === 'decision_started').length).catch(ignoreRefusal);
    for (const asked of openIn(state))
      if (asked.isHeld) await answer(asked, { isHeld: true }).catch(ignoreRefusal);
  }

  /** One look after the other, so that nobody answers twice. */
  let looking: Promise<void> = Promise.resolve();

  return {
    listen() {
      looking = looking.then(lookNow);
      return looking;
    },
    async goOn(state) {
      if (state.end?.outcome === 'exhausted') {
        const more = take(({ addBudget: amounts }) => amounts !== undefined)?.addBudget;
        if (more !== undefined) await addBudget({ run, ...more }, parts);
        return more !== undefined;
      }
      if (state.end !== undefined) return false;
      if (state.paused !== undefined) {
        const isOver = take((command) => command.continue !== undefined) !== undefined;
        if (isOver) await continueRun({ run }, parts);
        return isOver;
      }
      let isAnswered = false;
      for (const asked of openIn(state)) if (await answer(asked, { isHeld: false })) isAnswered = true;
      if (isAnswered) return true;
      const expiry = Math.min(
        ...openIn(state)
          .filter((asked) => commands.some(({ expire }) => expire !== undefined && isAbout(expire, asked)))
          .map(({ question }) => question.expiresAt ?? Number.POSITIVE_INFINITY),
      );
      if (!Number.isFinite(expiry)) return false;
      await clock.advance(Math.max(0, expiry - clock.now()));
      return true;
    },
    problems(state) {
      for (const asked of state.questions.values())
        if (asked.answer?.isExpired === true)
          take(({ expire }) => expire !== undefined && isAbout(expire, asked));
      return commands.map((command) => `never done: ${stringifyJson(command)}`);
    },
  };
}

function isAbout(
  { kind, task }: Pick<NonNullable<CaseCommand['expire']>, 'kind' | 'task'>,
  { question }: OpenQuestion,
): boolean {
  return kind === question.kind && task === question.task;
}

function openIn({ questions }: RunState): OpenQuestion[] {
  return [...questions.values()].filter(({ answer }) => answer === undefined);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof DandoriError)) throw error;
}
