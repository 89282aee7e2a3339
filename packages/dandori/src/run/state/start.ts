import type { Envelope, FactOf } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ParentOfRun } from '../../model/sub-goal.ts';
import type { Attachment } from '../../model/task.ts';

/** What a run started with. It never changes. */
export interface Start {
  readonly run: string;
  readonly goal: string;
  readonly mind: string;
  readonly userId: string | undefined;
  readonly planGiven: boolean;
  /** JSON Schema of the output that the answer must have. */
  readonly output: JsonObject | undefined;
  /** The run that this one was forked from, and the last event that they share. */
  readonly forkedFrom: FactOf<'run_started'>['data']['forkedFrom'];
  readonly conversation: string | undefined;
  /** The run that started this one as a sub-goal. */
  readonly parent: ParentOfRun | undefined;
  /** The only tools that the run may use. */
  readonly only: readonly string[] | undefined;
  /** What the mind is told about the conversation. */
  readonly context: string | undefined;
  /** Notes from earlier runs and the user, as the mind is told them. */
  readonly memory: string | undefined;
  readonly attachments: readonly Attachment[];
  /** Whether the mind may cancel another run without approval, before it has seen a tool result. */
  readonly mayCancel: boolean | undefined;
  /** The answers to questions of other runs that the user's message gives. */
  readonly mayAnswer: FactOf<'run_started'>['data']['mayAnswer'];
  /** Servers and services whose results contain no stranger's words. */
  readonly sources: readonly string[];
  readonly toolsAtStart: string | undefined;
  /** Servers whose tools were described in words that the user had not seen. */
  readonly unseen: readonly string[];
  /** Whether a run that had read external content suggested the goal. Its words are not the user's then. */
  readonly isSuggested: boolean;
  /** Whether secrets are sealed. False for a run of version 0.1, which kept only `[secret]`. */
  readonly isSealed: boolean;
  readonly startedAt: number;
}

export function createStart({ run, at, data }: Envelope & FactOf<'run_started'>): Start {
  return {
    run,
    goal: data.goal,
    mind: data.mind,
    userId: data.userId,
    planGiven: data.planGiven ?? false,
    output: data.output,
    forkedFrom: data.forkedFrom,
    conversation: data.conversation,
    parent: data.parent,
    only: data.only,
    context: data.context,
    memory: data.memory,
    attachments: data.attachments ?? [],
    mayCancel: data.mayCancel,
    mayAnswer: data.mayAnswer,
    sources: data.sources ?? [],
    toolsAtStart: data.tools,
    unseen: data.unseen ?? [],
    isSuggested: data.isSuggested === true,
    isSealed: data.sealed === true,
    startedAt: at,
  };
}
