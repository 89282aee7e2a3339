import type { Random } from './random.ts';

/** Where a fault can occur: a journal write, a tool call, a decision of the mind, or any moment. */
type Point = 'append' | 'call' | 'thought' | 'moment';

/**
 * Every fault, with its frequency relative to the others of its point. Its behaviour is defined where it
 * occurs: `disk`, `world`, `mind` and `person`.
 */
export const FAULTS = {
  crash_before_write: { at: 'append', weight: 2 },
  torn_write: { at: 'append', weight: 2 },
  crash_before_sync: { at: 'append', weight: 2 },
  power_cut: { at: 'append', weight: 2 },
  crash_before_acknowledgement: { at: 'append', weight: 2 },
  crash_after_event: { at: 'append', weight: 3 },
  stopped_after_event: { at: 'append', weight: 3 },
  write_refused: { at: 'append', weight: 1 },
  crash_before_effect: { at: 'call', weight: 2 },
  crash_after_effect: { at: 'call', weight: 2 },
  tool_error: { at: 'call', weight: 2 },
  server_dead: { at: 'call', weight: 1 },
  lost_before_effect: { at: 'call', weight: 1 },
  lost_after_effect: { at: 'call', weight: 1 },
  timeout_before_effect: { at: 'call', weight: 1 },
  timeout_after_effect: { at: 'call', weight: 2 },
  completion_held_back: { at: 'call', weight: 2 },
  completion_duplicated: { at: 'call', weight: 2 },
  call_broken: { at: 'call', weight: 1 },
  deaf_to_abort: { at: 'call', weight: 1 },
  model_error: { at: 'thought', weight: 1 },
  output_broken: { at: 'thought', weight: 2 },
  plan_broken: { at: 'thought', weight: 2 },
  mind_throws: { at: 'thought', weight: 1 },
  model_slow: { at: 'thought', weight: 1 },
  action_duplicated: { at: 'thought', weight: 2 },
  crash_in_thought: { at: 'thought', weight: 1 },
  crash: { at: 'moment', weight: 3 },
  machine_crash: { at: 'moment', weight: 1 },
  cancel: { at: 'moment', weight: 1 },
  early_answer: { at: 'moment', weight: 3 },
  early_budget: { at: 'moment', weight: 3 },
  note: { at: 'moment', weight: 2 },
  pause: { at: 'moment', weight: 2 },
  early_continue: { at: 'moment', weight: 1 },
  question_expires: { at: 'moment', weight: 2 },
  second_driver: { at: 'moment', weight: 2 },
  third_driver: { at: 'moment', weight: 1 },
  claim_lost: { at: 'moment', weight: 2 },
  lease_ended: { at: 'moment', weight: 2 },
  stopped: { at: 'moment', weight: 3 },
  cut_off: { at: 'moment', weight: 3 },
  notices_lost: { at: 'moment', weight: 2 },
  clock_forward: { at: 'moment', weight: 1 },
  clock_back: { at: 'moment', weight: 1 },
} as const satisfies Record<string, { at: Point; weight: number }>;

export type FaultKind = keyof typeof FAULTS;
export type FaultAt<P extends Point> = {
  [K in FaultKind]: (typeof FAULTS)[K]['at'] extends P ? K : never;
}[FaultKind];

/** A fault that has occurred. */
export interface Struck {
  readonly kind: FaultKind;
  readonly at: number;
  readonly about: string;
}

/** Decides which faults occur, and records them. */
export interface Fate {
  readonly struck: readonly Struck[];
  /** `about` describes what a fault hits. It is called only if one occurs. */
  strike<P extends Point>(point: P, about: () => string): FaultAt<P> | undefined;
}

/** The most faults in one seed. After the last one the run must end. */
const MOST_FAULTS = 10;

/** The chance of a fault at each point, in a mild seed and in a wild one. */
const CHANCES: Record<Point, readonly [number, number]> = {
  append: [0.02, 0.2],
  call: [0.05, 0.5],
  thought: [0.05, 0.4],
  moment: [0.01, 0.15],
};

/** Each seed has only some of the faults, so that faults that hide each other also occur alone. */
export function createFate(random: Random, now: () => number, only?: readonly FaultKind[]): Fate {
  const struck: Struck[] = [];
  const most = random.below(MOST_FAULTS + 1);
  const share = random.pick([0.15, 0.4, 0.8, 1]);
  const kinds = only ?? (Object.keys(FAULTS) as FaultKind[]).filter(() => random.chance(share));
  const at = (point: Point) => kinds.filter((kind) => FAULTS[kind].at === point);
  const possible = { append: at('append'), call: at('call'), thought: at('thought'), moment: at('moment') };
  const isWild = random.chance(0.5) ? 1 : 0;
  return {
    struck,
    strike<P extends Point>(point: P, about: () => string): FaultAt<P> | undefined {
      if (struck.length >= most || !random.chance(CHANCES[point][isWild])) return undefined;
      const kind = weighted(possible[point], random);
      if (kind === undefined) return undefined;
      struck.push({ kind, at: now(), about: about() });
      return kind as FaultAt<P>;
    },
  };
}

/** No faults at all. */
export const NO_FAULTS: Fate = { struck: [], strike: () => undefined };

function weighted(kinds: readonly FaultKind[], random: Random): FaultKind | undefined {
  const total = kinds.reduce((sum, kind) => sum + FAULTS[kind].weight, 0);
  let drawn = random.below(total);
  return kinds.find((kind) => {
    drawn -= FAULTS[kind].weight;
    return drawn < 0;
  });
}
