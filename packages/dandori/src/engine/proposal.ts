import type { Draft } from '../core/state.ts';
import type { Fact } from '../domain/event.ts';

/** A plan, or a change of one, as the fact that it was proposed. */
export function proposal({ version, by, tasks, outline, removes = [], revision }: Draft): Fact {
  if (revision !== undefined) {
    const data = { version, by, ...revision, removes: [...removes], tasks: [...tasks] };
    return { type: 'plan_revised', data: { ...data, ...(outline && { outline }) } };
  }
  return {
    type: 'plan_proposed',
    data: {
      version,
      by,
      tasks: [...tasks],
      ...(outline && { outline }),
      ...(removes.length > 0 && { removes: [...removes] }),
    },
  };
}
