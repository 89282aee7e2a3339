import type { Brief, Limit } from '../model/decision.ts';
import type { FactOf, Outcome, Purpose } from '../model/event.ts';
import type { Cause, Failure, Said } from '../model/failure.ts';
import type { Json, JsonObject } from '../model/json.ts';

/** What should be done next: imperatives. `driver/perform` has one handler for each. */
export type Intention =
  | { readonly type: 'compile_plan' }
  | { readonly type: 'think'; readonly purpose: Purpose; readonly brief?: Brief | undefined }
  | { readonly type: 'start_task'; readonly task: string }
  | { readonly type: 'ask_approval'; readonly task: string }
  | { readonly type: 'settle'; readonly task: string }
  /** The hold of a call has timed out. */
  | { readonly type: 'end_hold'; readonly task: string }
  | { readonly type: 'expire_question'; readonly question: string; readonly as: Expiry }
  /** All answers that the task waited for have arrived. */
  | { readonly type: 'apply_answer'; readonly task: string }
  | { readonly type: 'replace_task'; readonly task: string }
  | { readonly type: 'abort_calls'; readonly reason: string }
  | { readonly type: 'wake_at'; readonly at: number }
  | { readonly type: 'finish'; readonly ending: Ending };

/** What an expired question counts as. */
type Expiry = FactOf<'question_expired'>['data']['as'];

export interface Ending {
  readonly outcome: Outcome;
  /** The arguments of `answer`. They may contain Refs. */
  readonly answer?: JsonObject;
  /** The filled output, if the run must have one. */
  readonly output?: Json;
  /** Either a journaled failure, or a cause that still needs its text. */
  readonly failure?: Failure | Cause;
  /** What was not done. The text is added later. */
  readonly missing?: readonly Said[];
  readonly limit?: Limit;
}
