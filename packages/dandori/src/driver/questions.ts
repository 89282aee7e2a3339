import { createHash } from 'node:crypto';
import type { CheckedTask, Fact } from '../model/event.ts';
import { canonicalJson, type Json, type JsonObject, normalise } from '../model/json.ts';
import type { Diagnostic } from '../model/plan.ts';
import type { Question } from '../model/question.ts';
import type { Settings } from '../model/settings.ts';
import { isStep } from '../model/task.ts';
import type { Compiled } from '../plan/compile.ts';
import { planDiff } from '../run/drafts/edit.ts';
import type { Repeats } from '../run/repeats.ts';
import { nextQuestion } from '../run/state/questions.ts';
import type { Draft, RunState } from '../run/state/state.ts';
import { type Texts, textsOf } from '../views/texts/driver.ts';

interface About {
  readonly compiled: Compiled & { ok: true };
  readonly notes: readonly string[];
  readonly problems?: readonly Diagnostic[] | undefined;
  /** Set if the question is about repeated calls. */
  readonly repeated?: Repeats | undefined;
  readonly state: RunState;
}

/** Asks for approval of a plan. The question holds the whole plan, so that it can be answered anywhere. */
export function planQuestion(draft: Draft, { compiled, notes, problems, repeated, state }: About): Fact {
  const { version, tasks, outline } = draft;
  const texts = textsOf(state);
  const diff = planDiff(draft, state);
  const checked = new Map(compiled.tasks.map((task) => [task.id, task]));
  const context = {
    ...(outline?.objective !== undefined && { objective: outline.objective }),
    ...(outline?.reasoning !== undefined && { reasoning: outline.reasoning }),
    plan: compiled.estimate(),
    tasks: tasks.map((task) => {
      const { effect = 'write', needs = [], waits = [] } = checked.get(task.id) ?? {};
      const waitsFor = [...new Set([...needs, ...waits])];
      return { ...task, effect, ...(waitsFor.length > 0 && { waitsFor }) };
    }),
    ...(diff && { changes: diff }),
    ...(notes.length > 0 && { notes }),
    ...(problems && { problems }),
    ...(repeated && { repeats: repeated.calls.map(({ done }) => done.task.id) }),
  };
  return {
    type: 'question_asked',
    data: {
      question: {
        id: nextQuestion(state),
        kind: 'plan_approval',
        text: textOf(draft, repeated, texts),
        context: plain(context),
        options: [
          { label: texts.approve, value: 'approve' },
          { label: texts.reject, value: 'reject' },
        ],
        plan: version,
        digest: planDigest(draft, compiled.tasks),
      },
    },
  };
}

function textOf({ tasks, revision }: Draft, repeated: Repeats | undefined, texts: Texts): string {
  if (repeated !== undefined) {
    const names = new Set(repeated.calls.map(({ call }) => call.operation));
    return texts.mayRepeat([...names].join(', '));
  }
  return revision === undefined
    ? texts.mayCarryOut(tasks.length, tasks.every(isStep))
    : texts.mayChange(revision.reason);
}

/** As the journal stores it: without undefined fields. */
function plain(value: object): JsonObject {
  return normalise(value) as JsonObject;
}

/** Approval is bound to exactly this call. */
export function callDigest(operation: string, args: JsonObject): string {
  return sha256([operation, args]);
}

/** Approval of a plan is bound to its tasks, their effects, and the tasks that it removes or supersedes. */
export function planDigest(
  { tasks, removes = [], revision }: Draft,
  checked: readonly Pick<CheckedTask, 'id' | 'effect'>[],
): string {
  const effects = checked.map(({ id, effect }) => [id, effect]);
  // Normalised, so that a missing field and an undefined field give the same digest.
  const written = normalise(tasks);
  return sha256([written, effects, [...removes], [...(revision?.supersedes ?? [])]]);
}

function sha256(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** A question with the defaults of the run: when it expires and which users may answer it. */
export function withTerms(question: Question, { questions }: Settings, at: number): Question {
  const { expireAfter, answerers } = questions ?? {};
  return {
    ...(expireAfter !== undefined && { expiresAt: at + expireAfter }),
    ...(answerers !== undefined && { answerers }),
    ...question,
  };
}
