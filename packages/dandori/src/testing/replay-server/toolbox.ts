import type { Clock } from '../../model/clock.ts';
import { asText } from '../../model/json.ts';
import type { Tool } from '../../model/tool.ts';
import type { CallOutcome, Toolbox } from '../../tools/index.ts';
import { pause } from '../pause.ts';
import type { Replay } from './replay.ts';

export interface ReplayToolboxOptions {
  /** The first part of the tool names. All tools access this one resource. */
  readonly server: string;
  readonly clock: Clock;
  /** The duration of a task's call in milliseconds. Default: the recorded duration. */
  readonly takes?: (task: string) => number;
}

/** A replay as a toolbox without a server. Each call takes its time by the given clock. */
export function createReplayToolbox(replay: Replay, { server, clock, takes }: ReplayToolboxOptions): Toolbox {
  const tools = new Map<string, Tool>(
    replay.tools.map((tool) => [
      `${server}.${tool.name}`,
      { ...tool, name: `${server}.${tool.name}`, server, trusted: true },
    ]),
  );
  return {
    tools: () => tools,
    missing: () => [],
    async call({ operation, args, task, signal }): Promise<CallOutcome> {
      const answer = replay.begin(operation.slice(server.length + 1), args, { at: clock.now(), task });
      const isAborted = await pause(clock, takes?.(task) ?? answer.ms, signal);
      answer.end(clock.now());
      if (isAborted) return { kind: 'lost', cause: 'cancelled', message: 'aborted' };
      if (!answer.isError) return { kind: 'succeeded', result: answer.result };
      const { result } = answer;
      const message = asText(result);
      return { kind: 'failed', failure: { kind: 'tool_error', message } };
    },
    async close() {},
  };
}
