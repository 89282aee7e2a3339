import type { Envelope, FactOf } from '../domain/event.ts';
import { ReadyQueue } from './ready-queue.ts';
import type { RunState } from './state.ts';

export function initial({ run, seq, at, data }: Envelope & FactOf<'run_started'>): RunState {
  return {
    run,
    seq,
    goal: data.goal,
    mind: data.mind,
    userId: data.userId,
    settings: data.settings,
    planGiven: data.planGiven ?? false,
    startedAt: at,
    isTakenUp: false,
    lastAt: at,
    activeMs: 0,
    planVersion: 0,
    draft: undefined,
    tasks: new Map(),
    ready: new ReadyQueue(),
    running: new Set(),
    runningIn: new Map(),
    retrying: new ReadyQueue(),
    inDoubt: new Set(),
    decisions: [],
    thinking: undefined,
    offered: undefined,
    thinkAfter: 0,
    stumbles: 0,
    rejection: undefined,
    calls: 0,
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    questions: new Map(),
    openQuestions: 0,
    cancel: undefined,
    end: undefined,
  };
}
