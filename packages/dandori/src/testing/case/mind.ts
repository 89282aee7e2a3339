import type { RecordedCase } from '../../domain/case.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Mind, Thinking } from '../../ports/mind.ts';

/** Decides what was decided, in order and in the same time. */
export interface CaseMind extends Mind {
  /** How it was asked otherwise than it was. */
  problems(): string[];
}

export function createCaseMind({ mind: name, decisions }: RecordedCase, clock: Clock): CaseMind {
  const problems: string[] = [];
  let asked = 0;

  async function think(purpose: string): Promise<Thinking> {
    const said = decisions[asked++];
    if (said === undefined) {
      problems.push(
        `the mind was asked a ${asked}. time (${purpose}), and decided ${decisions.length} times`,
      );
      return { kind: 'failed', failure: { kind: 'model_error', message: 'no more', retryable: false } };
    }
    if (said.purpose !== purpose)
      problems.push(`decision ${asked} was asked for as "${purpose}", and was as "${said.purpose}"`);
    await new Promise<void>((resolve) => clock.at(clock.now() + said.ms, resolve));
    const { actions = [], reasoning, failure, next, usage } = said;
    if (failure !== undefined) return { kind: 'failed', failure, next, usage };
    return {
      kind: 'decided',
      actions,
      ...(reasoning !== undefined && { reasoning }),
      ...(usage && { usage }),
    };
  }

  /** What the next call would take; only where it was too much is it known. */
  async function weigh(): Promise<{ tokens: number; cost?: number }> {
    const needed = decisions[asked]?.needed;
    if (needed === undefined) return { tokens: 0 };
    asked++;
    return needed.limit === 'tokens' ? { tokens: needed.amount } : { tokens: 0, cost: needed.amount };
  }

  return {
    name,
    think: ({ purpose }) => think(purpose),
    weigh,
    problems: () => [
      ...problems,
      ...decisions
        .slice(asked)
        .map(({ purpose }, index) => `decision ${asked + index + 1} (${purpose}) was never asked for`),
    ],
  };
}
