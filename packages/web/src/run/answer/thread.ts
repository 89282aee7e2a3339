import type { Event, FactOf } from '#dandori/model/event.ts';
import { type FactHandlers, handleFact } from '#dandori/model/event-kinds.ts';
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
  const entries: FactHandlers<ThreadEntry | undefined> = {
    run_started: ({ seq, at, data }) => ({ kind: 'goal', seq, at, text: data.goal, by: data.userId }),
    note_added: ({ seq, at, data }) => ({ kind: 'note', seq, at, ...data }),
    question_asked({ seq, at, data }) {
      const asked = questions.get(data.question.id);
      // Open questions have their own place on the page.
      return asked?.answer === undefined ? undefined : { kind: 'question', seq, at, asked };
    },
    run_paused: ({ seq, at, data }) => ({ kind: 'paused', seq, at, ...data }),
    run_continued: ({ seq, at, data }) => ({ kind: 'continued', seq, at, ...data }),
    cancel_requested: ({ seq, at, data }) => ({ kind: 'cancelled', seq, at, ...data }),
    budget_added: ({ seq, at, data }) => ({ kind: 'budget', seq, at, amounts: data }),
  };
  return events.flatMap((event) => handleFact(event, entries) ?? []);
}
