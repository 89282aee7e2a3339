import { isRepeatable, type Tool } from '../model/tool.ts';
import { toAmbiguous } from './ambiguity.ts';
import { refusedCall, type ServiceMethod } from './service.ts';
import { withInput } from './service-call.ts';
import { type Call, type CallOutcome, clipped, failed, stopped } from './toolbox.ts';

/** The tools that a method may call. */
interface CalledTools {
  readonly tools: () => ReadonlyMap<string, Tool>;
  readonly dispatch: (inner: Call) => Promise<CallOutcome>;
}

/** After an answer the whole method runs again, including everything it did before it asked. */
export async function callMethod(
  { tool, call: run }: ServiceMethod,
  call: Call,
  { tools: allTools, dispatch }: CalledTools,
): Promise<CallOutcome> {
  let done: string | undefined;
  let hasHeardStrangers = false;
  let underWay: Set<Promise<CallOutcome>> | undefined;
  const make = async (inner: Call): Promise<CallOutcome> => {
    const tools = allTools();
    const refused = refusedCall(tool.name, inner.operation, tools);
    if (refused !== undefined) return failed('tool_error', refused);
    const { key, operation, args } = inner;
    const effect = tools.get(operation)?.effect ?? 'write';
    if (call.preview !== undefined && effect !== 'read')
      return failed('not_possible', `the preview of ${tool.name} may only read, and ${operation} writes`);
    // A trusted method vouches for its own words. It does not pass on the questions of a tool that is not trusted.
    // After such a call, its failure counts as external content. An error can quote what it was about, and it is told
    // with the calls before it and their arguments.
    const isStranger = tools.get(tool.name)?.trusted === true && tools.get(operation)?.trusted !== true;
    const asking = isStranger ? { ...inner, elicit: undefined } : inner;
    const send = async () => clipped(await withInput(asking, dispatch));
    const ended = (async () =>
      (await call.inner?.({ key, operation, args, effect }, send)) ?? (await send()))();
    if (effect !== 'read') {
      underWay ??= new Set();
      underWay.add(ended);
      void ended.finally(() => underWay?.delete(ended)).catch(() => {});
    }
    const how = await ended;
    const isDone = how.kind === 'succeeded' || how.kind === 'lost';
    if (isDone && !isRepeatable(effect)) done ??= operation;
    if (!isStranger) return how;
    hasHeardStrangers = true;
    return how.kind === 'ambiguous' ? failed('tool_error', notPassedOn(operation, tool)) : how;
  };
  let outcome = await run(call, make);
  // A method may end before its calls do, for example when Promise.all fails. The effects of those calls
  // still belong to it.
  while (underWay !== undefined && underWay.size > 0) {
    if (call.signal.aborted) {
      outcome = stopped(call.signal, tool.name);
      break;
    }
    await Promise.allSettled(underWay);
    await new Promise(setImmediate);
  }
  if (hasHeardStrangers && (outcome.kind === 'failed' || outcome.kind === 'lost'))
    return inOthersWords(outcome, call);
  if (outcome.kind !== 'ambiguous') return outcome;
  // The configuration may say whether it is trusted.
  if (done === undefined) return toAmbiguous(outcome, allTools().get(tool.name) ?? tool);
  const why = `${tool.name} asks (${outcome.question}) after it has called ${done}. It would call it again`;
  return failed(
    'tool_error',
    `${why}. The user was not asked: a method must ask before it changes anything.`,
  );
}

function notPassedOn(operation: string, { name }: Tool): string {
  return `it asked a question. The user was not asked: ${name} is trusted and ${operation} is not, so ${name} cannot pass it on.`;
}

/** The failure of a trusted method may have the words of a tool that is not trusted. A preview cannot say so. */
function inOthersWords(
  outcome: CallOutcome & { kind: 'failed' | 'lost' },
  { operation, preview }: Call,
): CallOutcome {
  return preview === undefined
    ? { ...outcome, hasHeardStrangers: true }
    : failed('not_possible', `the preview of ${operation} failed`);
}
