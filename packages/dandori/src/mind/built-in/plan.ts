import type { JsonObject } from '../../domain/json.ts';
import type { Action } from '../../domain/task.ts';
import { type Chained, chain, type Problem, type Situation } from './chain.ts';
import type { Goal } from './goal.ts';
import { explains, rank, speaksOf, type ToolCard } from './ranking.ts';
import { questionText, say } from './texts.ts';
import type { Value } from './values.ts';
import { isSaid, isSoft, type Span, type Word } from './words.ts';

/** What to do next for a goal. */
export type NextMove =
  | { readonly kind: 'act'; readonly actions: readonly Action[]; readonly reasoning: string }
  /** The task whose result is what was asked for, and what of the goal it leaves aside. */
  | { readonly kind: 'done'; readonly task: string; readonly leftOver: readonly string[] }
  | { readonly kind: 'ask'; readonly args: JsonObject; readonly reasoning: string }
  | { readonly kind: 'decline'; readonly problems: readonly Problem[] };

/** A tool that may be what the goal wants, with the plan that leads to it. */
interface Candidate extends Chained {
  readonly card: ToolCard;
  readonly score: number;
  /** How much of the goal the plan accounts for, from 0 to 1; 0 where no tool is spoken of. */
  readonly coverage: number;
  /** What of the goal nothing in the plan accounts for. */
  readonly leftOver: readonly (Word | Value)[];
}

const MOST_CANDIDATES = 12;
const MOST_EFFORT = 300;

/**
 * The tool whose plan accounts for most of the goal. The best match of words alone would stop too early: for the
 * weather at the place of an address, the tool that finds places has more of the words.
 */
export function nextMove(situation: Situation): NextMove {
  const { goal, index } = situation;
  const [best, second] = rank(goal, index, MOST_CANDIDATES)
    .map((card, place) => candidate(card, situation, place))
    .sort((one, other) => other.score - one.score);
  if (best === undefined) return { kind: 'decline', problems: [] };
  const isAlone =
    second === undefined || second.score < best.score * 0.99 || second.card.tool.effect === 'read';
  const isReady = best.card.tool.effect === 'read' ? mayRead(best) : mayChange(best, goal) && isAlone;
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
  // A result that is still to come may hold words that nothing explains yet.
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

/** To look something up it is enough to understand half of the goal; to have reached it takes more. */
function mayRead({ outcome, coverage, leftOver }: Candidate): boolean {
  const asksForChange = leftOver.some((part) => 'stem' in part && part.meaning?.kind === 'change');
  return !asksForChange && (outcome === 'later' ? coverage >= 0.5 : outcome !== undefined && coverage > 0.5);
}

/**
 * Nothing is changed on a guess: the goal orders it, each of its words is accounted for, and the verb of the tool's
 * name is among them. "Delete everything" names nothing, and could well delete everything.
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
  const reasoning = say(language, `目標の言葉に合う道具です: ${name}`, `The goal's words fit ${name}.`);
  const earlier = say(language, `${name} の前に必要です`, `${name} needs this first.`);
  const actions = pending.map((step) => {
    const { id, args } = step;
    return { id, operation: step.card.tool.name, args, reasoning: step === outcome ? reasoning : earlier };
  });
  return { kind: 'act', actions, reasoning };
}

/** Only where the tool is clear and one thing is missing, and a person has not been asked for it before. */
function ask({ card, problems, coverage }: Candidate, { goal, answerTo }: Situation): NextMove | undefined {
  const [problem, ...others] = problems;
  if (problem === undefined || others.length > 0 || problem.parameter.kind === 'other') return undefined;
  const { words, choices } = problem.parameter;
  const isRead = card.tool.effect === 'read';
  const said = isRead ? [...goal.words, ...words] : goal.words;
  const isClear = coverage > 0.5 && card.nameWords.every((word) => isSoft(word) || isSaid(word, said));
  const text = questionText(problem, goal.language);
  if (!isClear || !(isRead || goal.isOrder) || answerTo(text) !== undefined) return undefined;
  const options = problem.choices.length > 0 ? problem.choices : choices.map(String);
  const args = { question: text, ...(options.length > 0 && { options: options.slice(0, 10) }) };
  const { name } = problem.parameter;
  return {
    kind: 'ask',
    args,
    reasoning: say(goal.language, `「${name}」がありません。`, `"${name}" is missing.`),
  };
}
