import { assertNever } from '#dandori/model/error.ts';
import type { Event, FactOf } from '#dandori/model/event.ts';
import type { OpenQuestion, RunState } from '#dandori/run/state/state.ts';

/** Everything users said to a run or were asked by it, by time. Models of other runs can pass on notes too. */
export type ThreadEntry = { readonly seq: number; readonly at: number } & (
  | { readonly kind: 'goal'; readonly text: string; readonly by?: string | undefined }
  | ({ readonly kind: 'note' } & FactOf<'note_added'>['data'])
  | { readonly kind: 'question'; readonly asked: OpenQuestion }
  | { readonly kind: 'paused'; readonly reason?: string | undefined; readonly by?: string | undefined }
  | { readonly kind: 'continued'; readonly by?: string | undefined }
  | ({ readonly kind: 'cancelled' } & FactOf<'cancel_requested'>['data'])
  | { readonly kind: 'budget'; readonly amounts: FactOf<'budget_added'>['data'] }
);

export function threadOf(events: readonly Event[], { questions }: RunState): ThreadEntry[] {
  return events.flatMap(({ seq, at, type, data }): ThreadEntry[] => {
    switch (type) {
      case 'run_started':
        return [{ kind: 'goal', seq, at, text: data.goal, by: data.userId }];
      case 'note_added':
        return [{ kind: 'note', seq, at, ...data }];
      case 'question_asked': {
        const asked = questions.get(data.question.id);
        // Open questions have their own place on the page.
        return asked?.answer === undefined ? [] : [{ kind: 'question', seq, at, asked }];
      }
      case 'run_paused':
        return [{ kind: 'paused', seq, at, ...data }];
      case 'run_continued':
        return [{ kind: 'continued', seq, at, ...data }];
      case 'cancel_requested':
        return [{ kind: 'cancelled', seq, at, ...data }];
      case 'budget_added':
        return [{ kind: 'budget', seq, at, amounts: data }];
      case 'run_resumed':
      case 'decision_started':
      case 'decision_made':
      case 'decision_failed':
      case 'reflection_made':
      case 'plan_proposed':
      case 'plan_revised':
      case 'plan_approved':
      case 'plan_rejected':
      case 'task_started':
      case 'task_succeeded':
      case 'task_failed':
      case 'task_in_doubt':
      case 'inner_call_started':
      case 'inner_call_ended':
      case 'probe_started':
      case 'probe_ended':
      case 'hold_ended':
      case 'answer_applied':
      case 'question_answered':
      case 'question_expired':
      case 'limit_reached':
      case 'run_finished':
      case 'run_rated':
        return [];
      default:
        return assertNever(type);
    }
  });
}
