import { EVENT_VERSION, type Event, type Fact } from '../domain/event.ts';

const START: Fact = {
  type: 'run_started',
  data: {
    goal: 'test',
    mind: 'test',
    settings: {
      mode: 'auto',
      approval: 'never',
      concurrency: 1,
      limits: { steps: 1, calls: 1, tasks: 1, time: 1 },
      task: { timeout: 1, attempts: 1, backoff: 0 },
      repairs: 0,
      order: [],
    },
  },
};

export function eventOf(
  run: string,
  seq: number,
  fact: Fact = { type: 'run_resumed', data: { by: `driver ${seq}` } },
): Event {
  return { v: EVENT_VERSION, run, seq, at: 1_000 + seq, ...fact } as Event;
}

export function firstEvent(run: string, goal = 'test'): Event {
  return eventOf(run, 1, { ...START, data: { ...START.data, goal } } as Fact);
}
