import { canonical } from '../../core/canonical.ts';
import type { CaseCall, RecordedCase } from '../../domain/case.ts';
import type { JsonObject } from '../../domain/json.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import type { Tool } from '../../domain/tool.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Call, CallOutcome, Toolbox } from '../../ports/toolbox.ts';

/** Answers what was answered: by operation and arguments, of equal calls those of the same task first, in order. */
export interface CaseToolbox extends Toolbox {
  /** Calls that were not made before, or are not made any more. */
  problems(): string[];
}

interface CaseToolboxOptions {
  readonly clock: Clock;
  readonly tools?: ReadonlyMap<string, Tool> | undefined;
}

export function createCaseToolbox(recorded: RecordedCase, { clock, tools }: CaseToolboxOptions): CaseToolbox {
  const known = new Map<string, Tool>(
    recorded.tools.map((tool) => [tool.name, tools?.get(tool.name) ?? tool]),
  );
  const left = new Map<string, CaseCall[]>();
  for (const call of recorded.calls) {
    const key = keyOf(call);
    left.set(key, [...(left.get(key) ?? []), call]);
  }
  const strange: Call[] = [];
  const otherwise: string[] = [];

  /** Asks what it asked then, and waits for what it waited for. */
  async function ask(call: Call, { asks = [] }: CaseCall): Promise<void> {
    for (const { told, ...request } of asks) {
      const answer = call.elicit?.(request);
      if (told === undefined) continue;
      const { action } = (await answer) ?? { action: 'cancel' };
      if (action !== told)
        otherwise.push(`${shown(call)}   asked "${request.text}" and was told ${told}, and ${action} now`);
    }
  }

  function take(call: Call): CaseCall | undefined {
    const list = left.get(keyOf(call)) ?? [];
    const index = list.findIndex(({ task }) => task === call.task);
    return list.splice(Math.max(index, 0), 1)[0];
  }

  return {
    tools: () => known,
    missing: () => [],
    async call(call) {
      const found = take(call);
      if (found === undefined) {
        strange.push(call);
        const message = 'There is no record of this call.';
        return { kind: 'failed', failure: { kind: 'tool_error', message } };
      }
      await ask(call, found);
      const isAborted = await pause(clock, found.ms, call.signal);
      return isAborted ? { kind: 'lost', cause: 'cancelled', message: 'aborted' } : outcomeOf(found);
    },
    async close() {},
    problems() {
      const unmade = [...left.values()].flat();
      return [
        ...otherwise,
        ...strange.map((call) => `+ ${shown(call)}${instead(call, unmade)}`),
        ...unmade.map((call) => `- ${shown(call)}   was called then, and is not now`),
      ];
    },
  };
}

function instead({ task }: Call, unmade: readonly CaseCall[]): string {
  const isOther = unmade.some((call) => call.task === task);
  return isOther ? '   is called now, with other arguments' : '   is called now, and was not then';
}

function shown({ task, operation, args }: Pick<Call, 'task' | 'operation' | 'args'>): string {
  return `${task} ${operation} ${stringifyJson(args)}`;
}

function keyOf({ operation, args }: { operation: string; args: JsonObject }): string {
  return stringifyJson([operation, canonical(args)]);
}

function outcomeOf({ result = null, failure, lost, ambiguous, wanted, note }: CaseCall): CallOutcome {
  if (failure !== undefined) return { kind: 'failed', failure };
  if (lost !== undefined) return { kind: 'lost', cause: lost, message: lost };
  if (ambiguous !== undefined) return { kind: 'ambiguous', ...ambiguous };
  if (wanted !== undefined) return { kind: 'input_wanted', ...wanted };
  return { kind: 'succeeded', result, ...(note !== undefined && { note }) };
}

/** True where the signal came first. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const takeBack = clock.at(clock.now() + ms, () => resolve(false));
    signal.addEventListener('abort', () => {
      takeBack();
      resolve(true);
    });
  });
}
