import type { Action } from './task.ts';

/** Deltas for clients that watch a run. They are not facts: they decide nothing and are not replayed. */
export type Live =
  | {
      readonly type: 'task_progress';
      readonly run: string;
      readonly task: string;
      readonly message: string;
      readonly fraction?: number;
    }
  | { readonly type: 'answer_text'; readonly run: string; readonly text: string }
  | { readonly type: 'action_written'; readonly run: string; readonly action: Action };
