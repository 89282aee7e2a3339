import { isWorse } from '../../domain/effect.ts';
import { DandoriError } from '../../domain/error.ts';
import type { Tool } from '../../domain/tool.ts';

/**
 * A method that calls tools is one task of a plan, and order, approval and repetition are decided on by what it says of
 * itself. So it may call only what it names, and nothing that does more to the world than it says.
 */
export function refusedCall(
  caller: string,
  called: string,
  tools: ReadonlyMap<string, Tool>,
): string | undefined {
  const method = tools.get(caller);
  if (method?.calls?.includes(called) !== true)
    return `${caller} may not call it, because it does not name it. Add "${called}" to its calls.`;
  const effect = tools.get(called)?.effect;
  if (effect === undefined || !isWorse(effect, method.effect)) return undefined;
  return `${caller} may not call it, because it is ${effect} and ${caller} says that it is ${method.effect}. Give ${caller} the effect ${effect}.`;
}

/** What can be told as soon as the tools are known is not left to the moment when half of the work is done. */
export function checkCalls(tools: ReadonlyMap<string, Tool>): void {
  for (const { name, calls = [] } of tools.values()) {
    for (const called of calls) {
      const reason = refusedCall(name, called, tools);
      if (reason === undefined) continue;
      const [message = '', fix] = reason.split(/(?<=\.) /);
      throw new DandoriError('service-invalid', `${called}: ${message}`, { fix });
    }
  }
}
