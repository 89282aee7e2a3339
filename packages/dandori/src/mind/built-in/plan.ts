import type { Action } from '../../domain/task.ts';
import { type Draft, emptyDraft, type Problem, type Situation, type Step } from './draft.ts';
import { variantsOf } from './enumeration.ts';
import { clausesOf, type Goal, type Language, readGoal } from './goal.ts';
import { choiceQuestion, questionAbout } from './question.ts';
import { type Candidate, candidatesFor, isConvincing, isNamed } from './selection.ts';
import { agreement } from './words.ts';

/** What to do next for a goal. */
export type NextMove =
  | { readonly kind: 'act'; readonly actions: readonly Action[]; readonly reasoning: string }
  /** The tasks whose results are what was asked for. */
  | { readonly kind: 'done'; readonly tasks: readonly string[]; readonly leftOver: readonly string[] }
  | { readonly kind: 'ask'; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: 'decline'; readonly nearest: Candidate | undefined };

/** The same goal and the same finished tasks always give the same plan, so each turn goes on where the last ended. */
export function nextMove(goal: Goal, situation: Situation): NextMove {
  const whole = candidatesFor(goal, situation, emptyDraft());
  const best = whole[0];
  if (best !== undefined && best.coverage > 0.99 && isReady(whole, goal, situation))
    return toMove([best], best.draft, goal);
  const parts = eachOf(clausesOf(goal), goal, situation) ?? eachOf(variantsOf(goal), goal, situation);
  if (parts !== undefined) return toMove(parts.chosen, parts.draft, goal);
  if (best !== undefined && isReady(whole, goal, situation)) return toMove([best], best.draft, goal);
  return question(whole, goal, situation) ?? { kind: 'decline', nearest: best };
}

/** Convincing, possible, and for a change not one of two that fit equally well. */
function isReady(candidates: readonly Candidate[], goal: Goal, { mayChange }: Situation): boolean {
  const [best, second] = candidates;
  if (best?.outcome === undefined || !isConvincing(best, goal)) return false;
  if (best.card.tool.effect === 'read') return true;
  if (!mayChange) return false;
  return (
    second?.outcome === undefined || second.score < best.score * 0.99 || second.card.tool.effect === 'read'
  );
}

interface Parts {
  readonly chosen: Candidate[];
  readonly draft: Draft;
}

/** "Calculate 2 + 3 and tell me the time": each wish by itself, where every one of them can be granted. */
function eachOf(clauses: readonly string[], goal: Goal, situation: Situation): Parts | undefined {
  if (clauses.length < 2 || clauses.length > 6) return undefined;
  const chosen: Candidate[] = [];
  let draft = emptyDraft();
  for (const clause of clauses) {
    const part = readGoal(clause, goal.startedAt);
    const candidates = candidatesFor(part, situation, draft);
    const best = candidates[0];
    if (best === undefined || !isReady(candidates, part, situation)) return undefined;
    chosen.push(best);
    draft = best.draft;
  }
  // A change is not made next to a wish that was only half understood: the two may belong together.
  const isChange = chosen.some(({ card }) => card.tool.effect !== 'read');
  const isAllClear = chosen.every(({ coverage, outcome }) => coverage > 0.99 && outcome !== 'later');
  return isChange && !isAllClear ? undefined : { chosen, draft };
}

function toMove(chosen: readonly Candidate[], { steps }: Draft, goal: Goal): NextMove {
  const pending = steps.filter(({ done }) => done === undefined);
  if (pending.length > 0) {
    const names = chosen.map(({ card }) => card.tool.name).join(', ');
    return {
      kind: 'act',
      actions: pending.map((step) => toAction(step, steps, goal)),
      reasoning: `${names}: the words of the goal speak of it.`,
    };
  }
  const tasks = chosen.flatMap(({ outcome }) => (typeof outcome === 'object' ? [outcome.id] : []));
  return tasks.length === chosen.length
    ? { kind: 'done', tasks, leftOver: chosen.flatMap(({ leftOver }) => leftOver) }
    : { kind: 'decline', nearest: chosen[0] };
}

function toAction({ id, card, args, after }: Step, steps: readonly Step[], { language }: Goal): Action {
  const users = steps.filter(
    (step) => step.after.includes(id) || JSON.stringify(step.args).includes(`\${${id}`),
  );
  return {
    id,
    operation: card.tool.name,
    args,
    ...(after.length > 0 && { after: [...after] }),
    reasoning: why(
      card.tool.name,
      users.map((step) => step.card.tool.name),
      language,
    ),
  };
}

function why(name: string, users: readonly string[], language: Language): string {
  if (language === 'ja')
    return users.length === 0 ? `目標の言葉に合う道具です: ${name}` : `${users.join(', ')} の前に必要です`;
  return users.length === 0 ? `The goal's words fit ${name}.` : `${users.join(', ')} needs this first.`;
}

/** Only where the tool is clear and one thing is missing, and a person has not been asked for it before. */
function question([best]: readonly Candidate[], goal: Goal, situation: Situation): NextMove | undefined {
  const [problem, ...others] = best?.problems ?? [];
  if (best === undefined || problem === undefined || others.length > 0) return undefined;
  const isClear =
    best.hasEvidence && best.coverage >= 0.6 && isNamed(best.card, goal) && saysAllOf(best, problem, goal);
  if (best.card.tool.effect !== 'read' && !situation.mayChange) return undefined;
  if (!isClear || problem.reason === 'no_match' || problem.parameter.kind === 'unknown') return undefined;
  const text = textOf(problem, goal.language);
  if (situation.answerTo(text) !== undefined) return undefined;
  const options = problem.choices.length > 0 ? problem.choices : problem.parameter.choices.map(String);
  return { kind: 'ask', question: text, options: options.slice(0, 10) };
}

/** Each word of the tool's name is in the goal, or is what is missing: `get_weather_by_city` for "the weather". */
function saysAllOf({ card }: Candidate, { parameter }: Problem, { words }: Goal): boolean {
  const said = card.tool.effect === 'read' ? [...words, ...parameter.words] : words;
  return card.nameWords.every((own) => own.isSoft || said.some((word) => agreement(own, word) >= 0.8));
}

function textOf(problem: Problem, language: Language): string {
  return problem.reason === 'several_match'
    ? choiceQuestion(problem, language)
    : questionAbout(problem, language);
}
