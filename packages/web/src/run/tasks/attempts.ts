import type { Event, FactOf } from '#dandori/model/event.ts';

/** One attempt of a task. */
export interface Attempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly seq: number;
  ended?:
    | { readonly kind: 'succeeded'; readonly ms: number; readonly at: number }
    | ({ readonly kind: 'failed'; readonly at: number } & FactOf<'task_failed'>['data'])
    | ({ readonly kind: 'in_doubt'; readonly at: number } & FactOf<'task_in_doubt'>['data']);
  readonly probes: Probe[];
  /** The calls of its service. */
  readonly calls: InnerCall[];
  /** The questions that it asked. */
  readonly questions: { readonly id: string; readonly text: string }[];
}

export interface Probe {
  readonly operation: string;
  readonly args: FactOf<'probe_started'>['data']['args'];
  ended?: FactOf<'probe_ended'>['data'];
}

export interface InnerCall {
  readonly key: string;
  readonly operation: string;
  readonly args: FactOf<'inner_call_started'>['data']['args'];
  ended?: FactOf<'inner_call_ended'>['data'];
}

export function attemptsOf(events: readonly Event[], task: string): Attempt[] {
  const attempts = new Map<number, Attempt>();
  for (const { type, data, at, seq } of events) {
    if (type === 'question_asked') {
      const { question, attempt } = data;
      if (question.task === task)
        (attempts.get(attempt ?? attempts.size) ?? [...attempts.values()].at(-1))?.questions.push(question);
      continue;
    }
    if (!('task' in data) || data.task !== task || !('attempt' in data)) continue;
    const known = attempts.get(data.attempt);
    if (type === 'task_started')
      attempts.set(data.attempt, {
        attempt: data.attempt,
        startedAt: at,
        seq,
        probes: [],
        calls: [],
        questions: [],
      });
    else if (known === undefined) continue;
    else if (type === 'task_succeeded') known.ended = { kind: 'succeeded', ms: data.ms, at };
    else if (type === 'task_failed') known.ended = { kind: 'failed', at, ...data };
    else if (type === 'task_in_doubt') known.ended = { kind: 'in_doubt', at, ...data };
    else if (type === 'inner_call_started') known.calls.push({ ...data });
    else if (type === 'inner_call_ended') endCall(known.calls, data);
    else if (type === 'probe_started') known.probes.push({ operation: data.operation, args: data.args });
    else if (type === 'probe_ended') {
      const last = known.probes.at(-1);
      if (last !== undefined) last.ended = data;
    }
  }
  return [...attempts.values()];
}

/** The journal has only the end of a read. */
function endCall(calls: InnerCall[], data: FactOf<'inner_call_ended'>['data']): void {
  const { key, operation, args } = data;
  const open = calls.find((call) => call.key === key && call.ended === undefined);
  if (open !== undefined) open.ended = data;
  else if (args !== undefined) calls.push({ key, operation, args, ended: data });
}
