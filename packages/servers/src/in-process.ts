import type { CallToolResult } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { evaluateInput, evaluatePlain } from './calc/tools.ts';
import { convertTime, convertTimeInput, currentTime, currentTimeInput } from './clock/tools.ts';

type Answer = (args: unknown) => CallToolResult | undefined;

/**
 * Calls that read only their arguments and the clock, and that end within milliseconds. What may take longer, such as
 * a power or a root, is calculated in the process of the server, where it cannot hold up the host.
 */
const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  ['calc.evaluate', answerTo(evaluateInput, evaluatePlain)],
  [
    'clock.get_current_time',
    // The process of the server does not get this variable, and would be in another zone.
    answerTo(currentTimeInput, (input) =>
      input.time_zone || process.env.TZ === undefined ? currentTime(input) : undefined,
    ),
  ],
  ['clock.convert_time', answerTo(convertTimeInput, convertTime)],
]);

/**
 * The result of a call, equal to what the shipped server would answer, without its process. Undefined if the server
 * must be asked: other tools, calls that may take long, and every call that fails.
 */
export function answerInProcess(server: string, tool: string, args: unknown): CallToolResult | undefined {
  try {
    return ANSWERS.get(`${server}.${tool}`)?.(args);
  } catch {
    // The server says what is wrong, in the language of the user.
    return undefined;
  }
}

function answerTo<Input>(
  input: z.ZodType<Input>,
  answer: (input: Input) => CallToolResult | undefined,
): Answer {
  return (args) => {
    const read = input.safeParse(args);
    return read.success ? answer(read.data) : undefined;
  };
}
