import type { Compiled } from '../core/compile.ts';
import { planDiff } from '../core/plan-diff.ts';
import { nextQuestion } from '../core/question-id.ts';
import type { Draft, RunState } from '../core/state.ts';
import { isStep } from '../core/step.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Fact } from '../domain/event.ts';
import type { JsonObject } from '../domain/json.ts';
import { normalise } from '../domain/json-text.ts';
import { textsOf } from './texts.ts';

interface About {
  readonly compiled: Compiled & { ok: true };
  readonly digest: string;
  readonly notes: readonly string[];
  readonly problems?: readonly Diagnostic[] | undefined;
  readonly state: RunState;
}

/** May this plan be carried out? All that is in it stands in the question, so that it can be answered anywhere. */
export function planQuestion(draft: Draft, { compiled, digest, notes, problems, state }: About): Fact {
  const { version, tasks, revision, outline } = draft;
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
  };
  return {
    type: 'question_asked',
    data: {
      question: {
        id: nextQuestion(state),
        kind: 'plan_approval',
        text:
          revision === undefined
            ? texts.mayCarryOut(tasks.length, tasks.every(isStep))
            : texts.mayChange(revision.reason),
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

/** As the journal will hold it: without what is undefined. */
function plain(value: object): JsonObject {
  return normalise(value) as JsonObject;
}
