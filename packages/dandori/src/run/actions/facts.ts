import type { Fact, FactOf } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Draft, RunState } from '../state/state.ts';
import type { ParsedActions } from './parse-actions.ts';

type Reflected = Omit<FactOf<'reflection_made'>['data'], 'decision'>;

/**
 * The reflection of this decision. If the mind was asked to reflect after a failure and did not, it is derived
 * from the state. Success is for the mind alone to say. If the mind reflects without being asked, that counts
 * too.
 */
export function looksBack(
  state: RunState,
  { taken, reasoning = '' }: { taken: ParsedActions; reasoning: string | undefined },
): Reflected | undefined {
  const trigger = state.thinking?.brief?.reflect;
  const said = taken.operations.find(({ operation }) => operation === 'reflect');
  if (trigger === undefined && said === undefined) return undefined;
  const status = statusOf(state);
  if (said === undefined && status === undefined) return undefined;
  const goesOn = taken.tasks.length > 0 || taken.revision !== undefined;
  const found: Reflected = {
    trigger: trigger ?? 'interval',
    status: status ?? 'partial',
    evaluation: reasoning,
    revisionNeeded: trigger === 'error' && goesOn,
    by: said === undefined ? 'runtime' : 'mind',
  };
  return said === undefined ? found : { ...found, ...readReflection(said.args) };
}

function readReflection({ status, evaluation, revision_needed: needed }: JsonObject): Partial<Reflected> {
  const isStatus = status === 'success' || status === 'failure' || status === 'partial';
  return {
    ...(isStatus && { status }),
    ...(typeof evaluation === 'string' && { evaluation }),
    ...(typeof needed === 'boolean' && { revisionNeeded: needed }),
  };
}

/** Undefined if nothing has failed. */
function statusOf({ sinceReflection: { ended, failed } }: RunState): Reflected['status'] | undefined {
  if (failed === 0) return undefined;
  return failed < ended ? 'partial' : 'failure';
}

/** The fact that a plan, or a change to a plan, was proposed. */
export function proposal({ version, by, tasks, outline, removes = [], revision }: Draft): Fact {
  if (revision !== undefined) {
    const data = { version, by, ...revision, removes: [...removes], tasks: [...tasks] };
    return { type: 'plan_revised', data: { ...data, ...(outline && { outline }) } };
  }
  const data: FactOf<'plan_proposed'>['data'] = { version, by, tasks: [...tasks] };
  if (outline !== undefined) data.outline = outline;
  if (removes.length > 0) data.removes = [...removes];
  return { type: 'plan_proposed', data };
}
