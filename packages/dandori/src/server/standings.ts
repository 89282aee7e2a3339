import type { DrivingState, TalkedRun } from '../client/api.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Conversation, ConversationRun } from '../engine/conversation.ts';
import type { EventStreams } from './event-streams.ts';

/** How the runs of conversations stand, for who follows those: told where it has changed, and not for every event. */
export interface Standings {
  watch(conversation: Conversation): void;
  of(conversation: Conversation): TalkedRun[];
}

interface Options {
  readonly streams: Pick<EventStreams, 'tell' | 'isFollowed'>;
  readonly stateOf: (run: string) => DrivingState;
}

/** Milliseconds in which changes come together: a step of a hundred tasks is told a few times and not a hundred. */
const PACE = 50;

export function createStandings({ streams, stateOf }: Options): Standings {
  const of = (conversation: Conversation) =>
    conversation.runs().map((run) => talkedRun(run, stateOf(run.run)));
  return {
    of,
    watch(conversation) {
      const { id } = conversation;
      const told = new Map<string, string>();
      let isDue = false;
      const tell = () => {
        isDue = false;
        for (const run of of(conversation)) {
          const text = stringifyJson(run);
          if (told.get(run.run) !== text) streams.tell(id, 'run', run);
          told.set(run.run, text);
        }
      };
      conversation.watch(() => {
        if (!streams.isFollowed(id)) told.clear();
        else if (!isDue) {
          isDue = true;
          setTimeout(tell, PACE).unref();
        }
      });
    },
  };
}

function talkedRun(
  { run, goal, message, outcome, standing, progress, questions, problem }: ConversationRun,
  driving: DrivingState,
): TalkedRun {
  return {
    run,
    goal,
    message,
    outcome,
    driving,
    ...(standing !== undefined && { standing }),
    ...(progress !== undefined && { progress }),
    questions,
    ...(problem !== undefined && { problem: CANNOT }),
  };
}

/** What exactly is in the way tells of the server's inside. */
const CANNOT = 'The server cannot go on with it. Its log says why.';
