import type { Limit } from '../../model/decision.ts';
import type { FactOf } from '../../model/event.ts';
import { type Failure, type Said, saidIn, type Word } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Language, languageOf, type Speaking } from '../../model/text.ts';
import type { TaskStatus } from '../../run/state/state.ts';
import type { DriverTexts } from './en/driver.ts';
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

/** What a text is made from. */
interface Telling {
  readonly texts: RunTexts;
  readonly driver: DriverTexts;
  readonly language: Language;
  readonly params: JsonObject;
  readonly text: (name: string) => string;
  readonly count: (name: string) => number;
  /** The sentence with the reason, if one was given. */
  readonly because: (sentence: string) => string;
}

function textOf({ code, params = {} }: Said, language: Language): string {
  const texts = runTextsIn(language);
  const text = (name: string) => String(params[name] ?? '');
  return TEXTS[code]({
    texts,
    driver: driverTextsIn(language),
    language,
    params,
    text,
    count: (name) => Number(params[name]),
    because: (sentence) => texts.withReason(sentence, text('reason')),
  });
}

const TEXTS: Readonly<Record<Said['code'], (telling: Telling) => string>> = {
  asks_for_ever: ({ driver, count }) => driver.asksForEver(count('rounds')),
  asks_for_nothing: ({ driver }) => driver.asksForNothing,
  asks_otherwise: ({ driver }) => driver.asksOtherwise,
  call_broke: ({ driver, text }) => driver.callBroke(text('reason')),
  call_stopped: ({ driver, text }) => driver.callStopped(text('operation')),
  cannot_replace: ({ texts, text, language }) =>
    texts.notReplaced(text('operation'), problemsIn(text('problems'), language)),
  criteria_not_judged: ({ texts }) => texts.unjudged,
  criteria_not_met: ({ texts, text }) => texts.unmet(text('criteria')),
  crashed_again: ({ driver, text, count }) => driver.crashedAgain(text('operation'), count('times')),
  decision_unusable: ({ text }) => text('reason'),
  declined: ({ texts, text, because }) => because(texts.declined(text('operation'))),
  did_not_stop: ({ driver }) => driver.didNotStop,
  failed_after: ({ driver, text, count }) =>
    driver.failedAfter(text('message'), count('done'), text('calls')),
  form_unusable: ({ driver, text }) => driver.formUnusable(text('problem')),
  given_up: ({ texts, text }) => texts.givenUp(text('operation')),
  limit: ({ texts, params }) => limitText(params, texts),
  mind_broke: ({ driver, text }) => driver.mindBroke(text('reason')),
  mind_broke_contract: ({ driver, text }) => driver.mindBrokeContract(text('problem')),
  mind_stopped: ({ driver }) => driver.mindStopped,
  misfit: ({ driver, text }) => driver.misfit(text('place'), text('problem')),
  no_action: ({ driver }) => driver.noAction,
  no_answer: ({ driver }) => driver.noAnswer,
  no_next: ({ driver }) => driver.noNext,
  no_plan: ({ texts, text, count, language }) =>
    withProblems(texts.noPlan(count('tries')), text('problems'), language),
  not_again: ({ driver, text }) => driver.notAgain(text('operation'), text('task')),
  not_allowed: ({ driver, text }) => driver.notAllowed(text('operation'), text('rule')),
  not_approved: ({ texts, text, because }) => because(texts.notApproved(text('operation'))),
  not_called: ({ driver, text }) => driver.notCalled(text('operation')),
  not_called_any_more: ({ driver, text }) => driver.notCalledAnyMore(text('operation')),
  not_filled: ({ text, language }) => problemsIn(text('problems'), language),
  not_fitting: ({ driver, text, language }) =>
    driver.notFitting(text('operation'), problemsIn(text('problems'), language)),
  not_reached: ({ texts }) => texts.notReached,
  not_written: ({ driver, text }) => driver.notWritten(text('reason')),
  overtaken: ({ texts, text }) => texts.overtaken(text('operation'), text('task'), text('by')),
  part_failed: ({ text }) => `${text('task')} (${text('operation')})`,
  plan_invalid: ({ texts, text, language }) => withProblems(texts.planInvalid, text('problems'), language),
  plan_not_approved: ({ texts, because }) => because(texts.planNotApproved),
  probe_missing: ({ driver, text }) => driver.probeMissing(text('operation')),
  probe_unclear: ({ driver, text }) => driver.probeUnclear(text('found')),
  secret_gone: ({ driver }) => driver.secretGone,
  step_given_up: ({ texts }) => texts.stepGivenUp,
  task: ({ texts, text }) =>
    texts.standing(`${text('task')} ${text('name')}`, standing(text('status'), texts)),
  too_deep: ({ driver, count }) => driver.notWritten(driver.tooDeep(count('levels'))),
  too_slow: ({ driver, count }) => driver.tooSlow(count('seconds')),
  unanswered: ({ texts, text }) => texts.expired(text('question')),
  under_way: ({ driver, text }) => driver.underWay(text('operation')),
  unexpected: ({ driver, text }) => driver.unexpected(text('expect'), text('found'), text('result')),
};

function standing(status: string, texts: RunTexts): string {
  if (status === 'in_doubt') return texts.inDoubt;
  return status === 'not_done' ? texts.notDone : texts.ended(status as TaskStatus);
}

const LIMITS: Readonly<Record<Limit, (texts: RunTexts, most: number) => string>> = {
  steps: (texts, most) => texts.stepsReached(most),
  calls: (texts, most) => texts.callsReached(most),
  tasks: (texts, most) => texts.tasksReached(most),
  cost: (texts, most) => texts.costReached(most),
  tokens: (texts, most) => texts.tokensReached(most),
  revisions: (texts, most) => texts.revisionsReached(most),
  loop: (texts) => texts.inCircles,
  time: (texts, most) => texts.timeReached(Math.round(most / 1000)),
};

function limitText({ limit, most, isInsisting }: JsonObject, texts: RunTexts): string {
  return limit === 'loop' && isInsisting === true
    ? texts.insisted
    : LIMITS[limit as Limit](texts, Number(most));
}
