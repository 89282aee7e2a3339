import { messageOf } from '../../model/error.ts';
import { canonicalJson, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import { createSecretWords, type SecretWords } from '../../model/redact.ts';
import type { Action } from '../../model/task.ts';
import { clip, type Language, languageOf } from '../../model/text.ts';
import { lastDecision, type RunState } from '../../run/state/state.ts';
import { driverTextsIn } from '../../views/texts/of-run.ts';
import type { Mind, Thinking, Thought } from '../mind.ts';
import type { Need } from './arguments.ts';
import { type Chained, chain, literal, type Problem, type Situation } from './chain.ts';
import { inAskedUnit, wholeGoal } from './follow-up.ts';
import { type Goal, isSaid, isSoft, readGoal, type Span, type Value, type Word } from './goal.ts';
import { explains, indexOf, rank, speaksOf, type ToolCard } from './ranking.ts';
import { normalised } from './skills/numbers.ts';
import type { Call, Request, SkillMove } from './skills/skill.ts';
import { isSkilled, skilled } from './skills/skills.ts';
import {
  declineText,
  failureText,
  formerQuestionText,
  leftOverText,
  noOutputText,
  parameterQuestion,
  refusedText,
  resultsText,
  vetoedText,
} from './texts.ts';

/**
 * The mind without a language model. It matches words, takes arguments from the goal, and chains tools by
 * their schemas. It invents nothing. If that is not enough, it says so.
 */
export function createBuiltInMind(): Mind {
  return { name: 'built-in', think: async (thought) => think(thought) };
}

function think(thought: Thought): Thinking {
  if (thought.signal.aborted)
    return { kind: 'failed', failure: { kind: 'cancelled', message: 'The decision was cancelled.' } };
  try {
    const words = createSecretWords();
    const decided = words.back(decideOn(thought, words));
    for (const action of decided.actions) thought.onAction?.(action);
    return { kind: 'decided', ...decided };
  } catch (error) {
    const message = `The built-in planner has a bug: ${messageOf(error)}`;
    return { kind: 'failed', failure: { kind: 'model_error', message } };
  }
}

interface Decided {
  readonly actions: readonly Action[];
  readonly reasoning?: string;
}

function decideOn(thought: Thought, words: SecretWords): Decided {
  const { state, purpose } = thought;
  const language = languageOf(asksByText(state) ? { ...state, spoken: undefined } : state);
  if (state.output !== undefined && !state.planGiven) return answer(thought, noOutputText(language), false);
  const telling = { ...thought, language };
  const statuses = [...state.tasks.values()].map(({ status }) => status);
  if (statuses.includes('failed') || statuses.includes('blocked'))
    return answer(thought, failureText(besideFailure(state), telling), false);
  if (purpose === 'generate') return decline(thought, language);
  if (state.planGiven) return endOfPlan(thought, language);
  const goal = readGoal(words.hide(wholeGoal(state.goal, state.context)), language);
  if (purpose !== 'act') return closing(thought, goal, words);
  const { diagnostics, veto } = lastDecision(state) ?? {};
  if (veto !== undefined) return answer(thought, vetoedText(veto, language), false);
  if (diagnostics !== undefined) return answer(thought, refusedText(diagnostics, language), false);
  if (state.settings.mode === 'direct') return decline(thought, language);
  const skill = skilled(requestOf(thought, goal, words));
  if (skill !== undefined) return withSkill(skill, thought, goal);
  const move = moveFor(thought, goal, words);
  switch (move.kind) {
    case 'act':
      return { actions: move.actions, reasoning: move.reasoning };
    case 'done':
      return answer(thought, resultsText([move.task], telling) + leftOverText(move.leftOver, language), true);
    case 'ask':
      return { actions: [{ id: 'ask', operation: 'ask', args: move.args, reasoning: move.reasoning }] };
    case 'decline':
      return decline(thought, language, move.problems);
  }
}

/** Tells what a given plan found. Its goal is not read again: the author of the plan has already read it. */
function endOfPlan(thought: Thought, language: Language): Decided {
  const { state, purpose } = thought;
  const tasks = lastTasks(state);
  const [only, ...others] = tasks;
  if (only === undefined) return decline(thought, language);
  const converted = others.length === 0 ? inAskedUnit(state.goal, thought.result(only)) : undefined;
  return answer(thought, converted ?? resultsText(tasks, { ...thought, language }), purpose === 'answer');
}

/** No more tasks may be added, so the answer reports the finished ones. */
function closing(thought: Thought, goal: Goal, words: SecretWords): Decided {
  const tasks = lastTasks(thought.state);
  if (tasks.length === 0) return decline(thought, goal.language);
  const skill = skilled(requestOf(thought, goal, words));
  if (skill?.kind === 'answer') return answer(thought, skill.text, true);
  const isReached = moveFor(thought, goal, words).kind === 'done';
  return answer(thought, resultsText(tasks, { ...thought, language: goal.language }), isReached);
}

const reasonsIn = (language: Language) => driverTextsIn(language).reasons;

/** Of the goal, where it is the reason for a call. */
const LONGEST_QUOTE = 80;

function withSkill(move: SkillMove, thought: Thought, goal: Goal): Decided {
  switch (move.kind) {
    case 'call': {
      const before = thought.state.tasks.size;
      const asked = clip(thought.state.goal.replaceAll(/\s+/g, ' '), LONGEST_QUOTE);
      const reasoning = reasonsIn(goal.language).asked(asked);
      const actions = move.calls.map(({ operation, args, fromLast = {} }, index) => {
        const refs = Object.entries(fromLast).map(([name, path]) => [name, `\${t${before + index}.${path}}`]);
        return {
          id: `t${before + index + 1}`,
          operation,
          args: { ...literal(args), ...Object.fromEntries(refs) },
          reasoning,
        };
      });
      return { actions, reasoning };
    }
    case 'answer':
      return answer(thought, move.text, true);
    case 'ask': {
      const args = {
        question: move.question,
        about: skillAbout(move.about),
        ...(move.options !== undefined && { options: [...move.options] }),
      };
      return { actions: [{ id: 'ask', operation: 'ask', args, reasoning: move.question }] };
    }
    case 'cannot':
      return answer(thought, move.why, false);
  }
}

function requestOf({ state, tools, result }: Thought, goal: Goal, words: SecretWords): Request {
  const done = [...state.tasks.values()].filter(({ status }) => status === 'succeeded');
  const keyOf = ({ operation, args }: Call) => canonicalJson(words.hide({ operation, args }));
  const results = new Map(
    // Under the written arguments too: a choice may have changed what was sent, and the call must not be made again.
    done.flatMap(({ task: { id, operation, args }, sent = args }) =>
      [args, sent].map((one) => [keyOf({ operation, args: one }), words.hide(result(id))] as const),
    ),
  );
  return {
    text: normalised(goal.raw),
    raw: goal.raw,
    isOrder: goal.isOrder,
    language: goal.language,
    has: (operation) => tools.has(operation),
    isAdaptive: state.settings.mode === 'adaptive',
    isRuled: (before, after) =>
      state.settings.order.some((rule) => rule.before === before && rule.after === after),
    isDone: (call) => results.has(keyOf(call)),
    result: (call) => results.get(keyOf(call)),
    answerTo: (about, former) => answerAbout(skillAbout(about), former, { state, words }),
  };
}

const skillAbout = (about: string): JsonObject => ({ skill: about });

/**
 * In journals that do not say what a question is about, the planner finds its answer by the text. So it goes on
 * in the language of the question.
 */
function asksByText({ questions, decisions }: RunState): boolean {
  const asked = decisions.flatMap(({ operations }) => operations);
  const told = asked.filter(({ args }) => args.about !== undefined).map(({ args }) => args.question);
  return questions
    .values()
    .some(({ question: { kind, text } }) => kind === 'missing_input' && !told.includes(text));
}

/** Succeeded tasks whose results no other task used: the purpose of the plan. */
function lastTasks({ tasks }: RunState): string[] {
  const done = [...tasks.values()].filter(({ status }) => status === 'succeeded');
  const used = new Set(done.flatMap(({ needs }) => needs));
  return done.map(({ task }) => task.id).filter((id) => !used.has(id));
}

/** What was done beside the call that failed. A lookup that led to that call is no answer. */
function besideFailure(state: RunState): string[] {
  const last = lastTasks(state);
  if (state.planGiven) return last;
  const together = state.decisions.findLast(({ proposed }) => proposed.length > 0)?.proposed ?? [];
  return last.filter((id) => together.some((task) => task.id === id));
}

/** A secret is a word here, as in the goal, so that finished tasks are recognized. */
function moveFor({ state, tools, result }: Thought, goal: Goal, words: SecretWords): NextMove {
  const done = [...state.tasks.values()].filter(({ status }) => status === 'succeeded');
  return nextMove({
    goal,
    index: indexOf(tools),
    order: state.settings.order,
    isAdaptive: state.settings.mode === 'adaptive',
    done: done.map(({ task: { id, operation, args } }) =>
      words.hide({ id, operation, args, result: result(id) }),
    ),
    answerTo: (need) => answerAbout(aboutOf(need), formerQuestionText(need, goal.language), { state, words }),
  });
}

/** The user's answer to a question about this. `former`: the text by which earlier versions knew it. */
function answerAbout(
  thing: JsonObject,
  former: string | undefined,
  { state, words }: { readonly state: RunState; readonly words: SecretWords },
) {
  const texts = askedAbout(thing, state);
  const asked = [...state.questions.values()].find(
    ({ question: { text } }) => texts.includes(text) || words.hide(text) === former,
  );
  return words.hide(asked?.answer?.value);
}

/** The texts of earlier questions about a thing, from any version and in any language. */
function askedAbout(thing: JsonObject, { decisions }: RunState): Json[] {
  const about = stringifyJson(thing);
  return decisions
    .flatMap(({ operations }) => operations)
    .filter(({ operation, args }) => operation === 'ask' && stringifyJson(args.about) === about)
    .map(({ args }) => args.question ?? null);
}

function aboutOf({ card, parameter }: Need): JsonObject {
  return { tool: card.tool.name, parameter: parameter.name };
}

function answer({ onText }: Thought, text: string, achieved: boolean): Decided {
  onText?.(text);
  return { actions: [{ id: 'answer', operation: 'answer', args: { text: literal(text), achieved } }] };
}

function decline(thought: Thought, language: Language, problems: readonly Problem[] = []): Decided {
  return answer(thought, declineText(thought, problems, language), false);
}

type NextMove =
  | { readonly kind: 'act'; readonly actions: readonly Action[]; readonly reasoning: string }
  /** The task whose result was asked for, and the parts of the goal that it does not cover. */
  | { readonly kind: 'done'; readonly task: string; readonly leftOver: readonly string[] }
  | { readonly kind: 'ask'; readonly args: JsonObject; readonly reasoning: string }
  | { readonly kind: 'decline'; readonly problems: readonly Problem[] };

/** A tool that the goal may mean, with the plan that leads to it. */
interface Candidate extends Chained {
  readonly card: ToolCard;
  readonly score: number;
  /** The share of the goal that the plan covers, from 0 to 1. 0 if the goal mentions no tool. */
  readonly coverage: number;
  /** The parts of the goal that the plan does not cover. */
  readonly leftOver: readonly (Word | Value)[];
}

const MOST_CANDIDATES = 12;
const MOST_EFFORT = 300;

/**
 * The tool whose plan covers most of the goal. Matching words alone is not enough. For the weather at the place of an
 * address, the tool that finds places matches more words.
 */
function nextMove(situation: Situation): NextMove {
  const { goal, index } = situation;
  const [best, second] = rank(goal, index, MOST_CANDIDATES)
    .map((card, place) => candidate(card, situation, place))
    .sort((one, other) => other.score - one.score);
  if (best === undefined) return { kind: 'decline', problems: [] };
  const isAlone =
    second === undefined || second.score < best.score * 0.99 || second.card.tool.effect === 'read';
  const isReady = best.card.tool.effect === 'read' ? mayRead(best) : mayChange(best, goal) && isAlone;
  // A plan that the user has answered a question for goes on. So does one whose result is too large for a skill.
  const doneTask = typeof best.outcome === 'object' ? best.outcome.done : undefined;
  const isBegun =
    (doneTask !== undefined && doneTask.result === undefined) ||
    best.card.parameters.some(
      (parameter) => situation.answerTo({ card: best.card, parameter }) !== undefined,
    );
  const has = (operation: string) => index.cards.some(({ tool }) => tool.name === operation);
  if (isReady && !isBegun && isSkilled(best.card.tool.name, { ...goal, has }))
    return { kind: 'decline', problems: [] };
  const move = isReady ? act(best, goal) : ask(best, situation);
  return move ?? { kind: 'decline', problems: best.coverage > 0 ? best.problems : [] };
}

function candidate(card: ToolCard, situation: Situation, place: number): Candidate {
  const { words, values } = situation.goal;
  const draft = { steps: [], used: [], cards: [] };
  const chained = chain(card, { ...situation, draft, way: [], effort: { left: MOST_EFFORT } });
  const { steps, used, cards } = chained.draft;
  const isUsed = ({ start, end }: Span) => used.some((span) => span.start <= start && end <= span.end);
  const explained = (word: Word) => Math.max(...cards.map((tool) => explains(tool, word)));
  // A result that is still to come may contain words that nothing explains yet.
  const isOpen = chained.outcome === 'later' || chained.problems.some(({ choices }) => choices.length > 0);
  const pointsOf = (word: Word): number => {
    if (isSoft(word)) return explained(word) >= 0.9 ? 0.7 : 0;
    return Math.max(isUsed(word) ? 1 : isOpen ? 0.5 : 0, explained(word));
  };
  const points = words.reduce((sum, word) => sum + pointsOf(word), values.filter(isUsed).length);
  const isImpossible = chained.outcome === undefined && !isOpen;
  const parts = [...words, ...values];
  const leftOver = parts.filter(
    (part) => !isUsed(part) && !('stem' in part && cards.some((tool) => speaksOf(tool, part))),
  );
  const isSpokenOf =
    words.some((word) => !isSoft(word) && explained(word) >= 0.45) ||
    values.some((value) => isUsed(value) && !['number', 'quoted', 'code'].includes(value.kind));
  return {
    ...chained,
    card,
    leftOver,
    score: points - 0.1 * steps.length - 0.001 * place - (isImpossible ? 0.5 : 0),
    coverage: isSpokenOf ? 1 - leftOver.filter(isFirm).length / parts.filter(isFirm).length : 0,
  };
}

function isFirm(part: Word | Value): boolean {
  return !('stem' in part && isSoft(part));
}

/** For a read it is enough to understand half of the goal. Reaching the goal takes more. */
function mayRead({ outcome, coverage, leftOver }: Candidate): boolean {
  const asksForChange = leftOver.some((part) => 'stem' in part && part.meaning?.kind === 'change');
  return !asksForChange && (outcome === 'later' ? coverage >= 0.5 : outcome !== undefined && coverage > 0.5);
}

/**
 * Nothing is changed on a guess. The goal must be an order, the plan must cover all its words, and they must
 * include the verb in the tool's name. "Delete everything" names nothing, and could delete everything.
 */
function mayChange({ card, outcome, draft, leftOver }: Candidate, { isOrder, words }: Goal): boolean {
  const verbs = card.nameWords.filter(({ meaning }, index) => index === 0 || meaning?.kind === 'change');
  const isNamed = verbs.length > 0 && verbs.every((verb) => isSaid(verb, words));
  const isAll = words.some(({ meaning }) => meaning?.name === 'all');
  const isBare = card.parameters.length > 0 && draft.used.length === 0;
  return isOrder && outcome !== undefined && leftOver.length === 0 && isNamed && !isAll && !isBare;
}

function act({ card, outcome, draft, leftOver }: Candidate, { language, raw }: Goal): NextMove | undefined {
  const pending = draft.steps.filter(({ done }) => done === undefined);
  if (pending.length === 0) {
    const aside = leftOver.filter(isFirm).map(({ start, end }) => raw.slice(start, end));
    return typeof outcome === 'object' ? { kind: 'done', task: outcome.id, leftOver: aside } : undefined;
  }
  const { name } = card.tool;
  const { fits, neededBy } = reasonsIn(language);
  const [reasoning, earlier] = [fits(name), neededBy(name)];
  const actions = pending.map((step) => {
    const { id, args } = step;
    return { id, operation: step.card.tool.name, args, reasoning: step === outcome ? reasoning : earlier };
  });
  return { kind: 'act', actions, reasoning };
}

/** Asks only if the tool is clear, one argument is missing, and the user has not answered about it before. */
function ask({ card, problems, coverage }: Candidate, { goal, answerTo }: Situation): NextMove | undefined {
  const [problem, ...others] = problems;
  if (problem === undefined || others.length > 0 || problem.parameter.kind === 'other') return undefined;
  const { words, choices } = problem.parameter;
  const isRead = card.tool.effect === 'read';
  const said = isRead ? [...goal.words, ...words] : goal.words;
  const isClear = coverage > 0.5 && card.nameWords.every((word) => isSoft(word) || isSaid(word, said));
  if (!isClear || !(isRead || goal.isOrder) || answerTo(problem) !== undefined) return undefined;
  const options = problem.choices.length > 0 ? problem.choices : choices.map(String);
  const args = {
    question: parameterQuestion(problem, goal.language),
    about: aboutOf(problem),
    ...(options.length > 0 && { options: options.slice(0, 10) }),
  };
  const { name } = problem.parameter;
  return {
    kind: 'ask',
    args,
    reasoning: reasonsIn(goal.language).missing(name),
  };
}
