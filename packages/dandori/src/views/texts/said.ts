import type { Limit } from '../../model/decision.ts';
import { assertNever } from '../../model/error.ts';
import type { FactOf } from '../../model/event.ts';
import { type Failure, type Said, saidIn, type Word } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Language, languageOf, type Speaking } from '../../model/text.ts';
import type { TaskStatus } from '../../run/state/state.ts';
import type { RunTexts } from './en/run.ts';
import { plans } from './ja/messages/plans.ts';
import { driverTextsIn, runTextsIn } from './of-run.ts';
import { createTranslate, type Translate } from './translate.ts';

/** Turns a code with its params into text, in the language of the run. */
export function wordFor(run: Speaking): Word {
  // The language may change with an answer of the user.
  return (said) => textOf(said, languageOf(run));
}

export function wordIn(language: Language): Word {
  return (said) => textOf(said, language);
}

/** The current text of a failure. A failure without a code keeps the text that was journaled. */
export function shownFailure(failure: Failure, run: Speaking): Failure {
  const said = saidIn(failure);
  // This text is built from the failure of the inner part.
  if (said === undefined || said.code === 'part_failed') return failure;
  return { ...failure, message: textOf(said, languageOf(run)) };
}

/** The current text of what was not done, in the same way. */
export function shownMissing({ missing = [], undone = [] }: RunEnd, run: Speaking): readonly string[] {
  return missing.map((text, index) => {
    const said = saidIn(undone[index] ?? {});
    return said === undefined ? text : textOf(said, languageOf(run));
  });
}

let inJapanese: Translate | undefined;

/** The problems of a plan are journaled in English: `t1: there is no tool "x"; t2: …`. */
function problemsIn(problems: string, language: Language): string {
  if (language === 'en') return problems;
  inJapanese ??= createTranslate(plans);
  return problems
    .split(/; (?=[\w.-]+: )/)
    .map(inJapanese)
    .join('、');
}

function withProblems(sentence: string, problems: string, language: Language): string {
  return `${sentence}${language === 'ja' ? '' : ' '}${problemsIn(problems, language)}`.trim();
}

type RunEnd = Pick<FactOf<'run_finished'>['data'], 'missing' | 'undone'>;

function textOf({ code, params = {} }: Said, language: Language): string {
  const texts = runTextsIn(language);
  const driver = driverTextsIn(language);
  const text = (name: string) => String(params[name] ?? '');
  const count = (name: string) => Number(params[name]);
  const because = (what: string) => texts.withReason(what, text('reason'));
  switch (code) {
    case 'asks_for_ever':
      return driver.asksForEver(count('rounds'));
    case 'asks_for_nothing':
      return driver.asksForNothing;
    case 'asks_otherwise':
      return driver.asksOtherwise;
    case 'call_broke':
      return driver.callBroke(text('reason'));
    case 'call_stopped':
      return driver.callStopped(text('operation'));
    case 'cannot_replace':
      return texts.notReplaced(text('operation'), problemsIn(text('problems'), language));
    case 'criteria_not_judged':
      return texts.unjudged;
    case 'criteria_not_met':
      return texts.unmet(text('criteria'));
    case 'crashed_again':
      return driver.crashedAgain(text('operation'), count('times'));
    case 'decision_unusable':
      return text('reason');
    case 'declined':
      return because(texts.declined(text('operation')));
    case 'did_not_stop':
      return driver.didNotStop;
    case 'failed_after':
      return driver.failedAfter(text('message'), count('done'), text('calls'));
    case 'form_unusable':
      return driver.formUnusable(text('problem'));
    case 'given_up':
      return texts.givenUp(text('operation'));
    case 'limit':
      return limitText(params, texts);
    case 'mind_broke':
      return driver.mindBroke(text('reason'));
    case 'mind_broke_contract':
      return driver.mindBrokeContract(text('problem'));
    case 'mind_stopped':
      return driver.mindStopped;
    case 'misfit':
      return driver.misfit(text('place'), text('problem'));
    case 'no_action':
      return driver.noAction;
    case 'no_answer':
      return driver.noAnswer;
    case 'no_next':
      return driver.noNext;
    case 'no_plan':
      return withProblems(texts.noPlan(count('tries')), text('problems'), language);
    case 'not_again':
      return driver.notAgain(text('operation'), text('task'));
    case 'not_allowed':
      return driver.notAllowed(text('operation'), text('rule'));
    case 'not_approved':
      return because(texts.notApproved(text('operation')));
    case 'not_called':
      return driver.notCalled(text('operation'));
    case 'not_called_any_more':
      return driver.notCalledAnyMore(text('operation'));
    case 'not_filled':
      return problemsIn(text('problems'), language);
    case 'not_fitting':
      return driver.notFitting(text('operation'), problemsIn(text('problems'), language));
    case 'not_reached':
      return texts.notReached;
    case 'not_written':
      return driver.notWritten(text('reason'));
    case 'overtaken':
      return texts.overtaken(text('operation'), text('task'), text('by'));
    case 'part_failed':
      return `${text('task')} (${text('operation')})`;
    case 'plan_invalid':
      return withProblems(texts.planInvalid, text('problems'), language);
    case 'plan_not_approved':
      return because(texts.planNotApproved);
    case 'probe_missing':
      return driver.probeMissing(text('operation'));
    case 'probe_unclear':
      return driver.probeUnclear(text('found'));
    case 'secret_gone':
      return driver.secretGone;
    case 'step_given_up':
      return texts.stepGivenUp;
    case 'task':
      return texts.standing(`${text('task')} ${text('name')}`, standing(text('status'), texts));
    case 'too_deep':
      return driver.notWritten(driver.tooDeep(count('levels')));
    case 'too_slow':
      return driver.tooSlow(count('seconds'));
    case 'unanswered':
      return texts.expired(text('question'));
    case 'under_way':
      return driver.underWay(text('operation'));
    case 'unexpected':
      return driver.unexpected(text('expect'), text('found'), text('result'));
    default:
      return assertNever(code);
  }
}

function standing(status: string, texts: RunTexts): string {
  if (status === 'in_doubt') return texts.inDoubt;
  return status === 'not_done' ? texts.notDone : texts.ended(status as TaskStatus);
}

function limitText({ limit, most, isInsisting }: JsonObject, texts: RunTexts): string {
  const count = Number(most);
  switch (limit as Limit) {
    case 'steps':
      return texts.stepsReached(count);
    case 'calls':
      return texts.callsReached(count);
    case 'tasks':
      return texts.tasksReached(count);
    case 'cost':
      return texts.costReached(count);
    case 'tokens':
      return texts.tokensReached(count);
    case 'revisions':
      return texts.revisionsReached(count);
    case 'loop':
      return isInsisting === true ? texts.insisted : texts.inCircles;
    case 'time':
      return texts.timeReached(Math.round(count / 1000));
    default:
      return assertNever(limit as never);
  }
}
