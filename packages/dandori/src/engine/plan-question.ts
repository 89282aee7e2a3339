import type { Compiled } from '../core/compile.ts';
import { planDiff } from '../core/plan-diff.ts';
import { nextQuestion } from '../core/question-id.ts';
import type { Repeats } from '../core/repeats.ts';
import type { Draft, RunState } from '../core/state.ts';
import { isStep } from '../core/step.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Fact } from '../domain/event.ts';
import type { JsonObject } from '../domain/json.ts';
import { normalise } from '../domain/json-text.ts';
import { type Texts, textsOf } from './texts.ts';

interface About {
  readonly compiled: Compiled & { ok: true };
  readonly digest: string;
  readonly notes: readonly string[];
  readonly problems?: readonly Diagnostic[] | undefined;
  /** Where it is asked about for this alone. */
  readonly repeated?: Repeats | undefined;
  readonly state: RunState;
}

/** May this plan be carried out? All that is in it stands in the question, so that it can be answered anywhere. */
export function planQuestion(
  draft: Draft,
  { compiled, digest, notes, problems, repeated, state }: About,
): Fact {
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
          { label: texts.carryOut, value: 'approve' },
          { label: texts.leaveIt, value: 'reject' },
        ],
        plan: version,
        digest,
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

/** As the journal will hold it: without what is undefined. */
function plain(value: object): JsonObject {
  return normalise(value) as JsonObject;
}
