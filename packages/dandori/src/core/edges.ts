import { assertNever } from '../domain/error.ts';
import type { Ref } from '../domain/ref.ts';
import type { OrderRule } from '../domain/settings.ts';
import { writeRef } from './reference.ts';

/** Why a task waits for another: a Ref and an order rule cannot be dropped, an `after` sometimes can. */
export type Need =
  | { readonly why: 'ref'; readonly path: readonly (string | number)[]; readonly ref: Ref }
  | { readonly why: 'after' }
  | { readonly why: 'order'; readonly rule: OrderRule };

/** From each task to what it needs. */
export type Edges = Map<string, Map<string, Need>>;

/** What `check --explain` says: this task waits for that one, because. */
export interface Reason {
  readonly task: string;
  readonly text: string;
}

export const AFTER: Need = { why: 'after' };

export function describeNeed(need: Need, target: string): string {
  switch (need.why) {
    case 'ref':
      return `its args.${need.path.join('.')} uses ${writeRef(need.ref)}`;
    case 'after':
      return `it says after: ${target}`;
    case 'order':
      return `${need.rule.after} comes after ${need.rule.before}`;
    default:
      return assertNever(need);
  }
}
