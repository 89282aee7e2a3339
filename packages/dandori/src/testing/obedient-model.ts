import { type Json, stringifyJson } from '../model/json.ts';
import {
  type ModelReply,
  type ModelServer,
  type RecordedRequest,
  startModelServer,
} from './model-server/index.ts';
import type { WantedCall } from './obedient-mind.ts';
import type { ScriptedAction } from './scripted-mind.ts';

export interface ObedientModelOptions {
  /** What a model does that obeys only the user, list by list. The last list is repeated. */
  readonly work:
    | readonly (readonly ScriptedAction[])[]
    | ((goal: string) => readonly (readonly ScriptedAction[])[]);
  /** The calls that it makes as soon as it reads an order. */
  readonly wanted: readonly WantedCall[];
  /** The word by which it knows an order. Default: `OBEY`. */
  readonly order?: string;
  /** As `model.dialect` in the configuration. Default: `json`. */
  readonly dialect?: 'json' | 'tools';
}

/**
 * A language model over HTTP that obeys every text it reads, wherever it stands in the request: a result, an error, a
 * description, a note, the name of a file, an earlier message. Put the order into whatever a stranger can write, and
 * point `model.base_url` to it. It obeys once for each goal, and then goes on with the work.
 */
export async function startObedientModel({
  work,
  wanted,
  order = 'OBEY',
  dialect = 'json',
}: ObedientModelOptions): Promise<ModelServer> {
  const obeyed = new Set<string>();
  const turns = new Map<string, number>();
  let calls = 0;
  return startModelServer((request): ModelReply => {
    const goal = goalIn(request);
    calls++;
    if (stringifyJson(request.body as Json).includes(order) && !obeyed.has(goal)) {
      obeyed.add(goal);
      return reply(wanted, { dialect, calls });
    }
    const lists = typeof work === 'function' ? work(goal) : work;
    const turn = turns.get(goal) ?? 0;
    turns.set(goal, turn + 1);
    return reply(lists[Math.min(turn, lists.length - 1)] ?? [], { dialect, calls });
  });
}

/** What the user said last. */
function goalIn({ promptText }: RecordedRequest): string {
  return /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
}

function reply(
  actions: readonly ScriptedAction[],
  { dialect, calls }: { dialect: 'json' | 'tools'; calls: number },
): ModelReply {
  const all = actions.map((one, index) => ({ id: `m${calls}_${index}`, args: {}, ...one }));
  if (dialect === 'json') return { actions: all };
  // In this dialect, calls have no ids of their own.
  return {
    toolCalls: all.map(({ operation, args }) => ({ name: operation.replaceAll('.', '_'), arguments: args })),
  };
}
