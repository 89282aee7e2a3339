import { compile } from '@jmespath-community/jmespath';
import * as z from 'zod';
import { choice, dollars, duration, section, text, toggle } from '../documents/field.ts';
import { isObject, jsonObject } from '../model/json.ts';
import { approvalPolicy } from '../model/settings.ts';
import { oneOf } from '../model/text.ts';
import { effect, type ToolPolicy } from '../model/tool.ts';

export const TOOL = /^[A-Za-z][\w-]*\..+$/;
export const toolName = text('sqlite.list_tables').regex(TOOL, {
  error: 'must be server.tool, such as sqlite.list_tables',
});

const POLICY = 'must be an effect, or a group such as { effect: write, resource: "path:{path}" }';

/** The policy of one tool in `effects`. The effect alone is the short form. */
export const policy = z.union(
  [
    choice(effect.options),
    section({
      effect: choice(effect.options).optional(),
      resource: text('"path:{path}"').optional(),
      independent: toggle().optional(),
      cost: dollars({ example: 0.01, zero: true }).optional(),
      approval: choice(approvalPolicy.options).optional(),
      trusted: toggle().optional(),
      preview: toggle().optional(),
      probe: toolName.optional(),
      args: jsonObject.optional(),
      settled_when: expression('"length(messages) > `0`"').optional(),
      result: expression('messages[0]').optional(),
      wait: duration({ example: '1s', zero: true }).optional(),
    }).superRefine(({ probe, args, settled_when, result, wait }, { addIssue }) => {
      const complain = (key: string, message: string) =>
        addIssue({ code: 'custom', path: [key], message, input: undefined });
      if (probe !== undefined && settled_when === undefined)
        complain('probe', 'needs settled_when, which says from its result whether the call took effect');
      const parts = { args, settled_when, result, wait };
      if (probe !== undefined) return;
      for (const [key, value] of Object.entries(parts))
        if (value !== undefined) complain(key, 'belongs to a probe, and there is none');
    }),
  ],
  { error: (issue) => policyError(issue) },
);

/** For an object, names what is wrong in it. A zod union only says that none of its forms fits. */
function policyError({ input, errors }: { input?: unknown; errors?: unknown }): string {
  if (typeof input === 'string') return `must be ${oneOf(effect.options)}`;
  const [issue] = Array.isArray(errors) ? ((errors.at(-1) ?? []) as z.core.$ZodIssue[]) : [];
  return isObject(input) && issue !== undefined && issue.path.length > 0
    ? `cannot be used: ${issue.path.join('.')} ${issue.message}`
    : POLICY;
}

function expression(example: string) {
  return text(example).refine(isExpression, { error: `must be a JMESPath expression, such as ${example}` });
}

function isExpression(written: string): boolean {
  try {
    compile(written);
    return true;
  } catch {
    return false;
  }
}

/**
 * Longer than most requests need to arrive. A probe that runs too early would find nothing, and the call
 * would be made twice.
 */
const WAIT = 1_000;

export function resolvePolicies(
  written: Readonly<Record<string, z.output<typeof policy>>>,
): Readonly<Record<string, ToolPolicy>> {
  return Object.fromEntries(Object.entries(written).map(([name, one]) => [name, resolvePolicy(one)]));
}

function resolvePolicy(written: z.output<typeof policy>): ToolPolicy {
  if (typeof written === 'string') return { effect: written };
  // The run uses the approval; the toolbox does not.
  const { approval: _approval, ...policy } = written;
  const { probe: tool, args = {}, settled_when: settledWhen, result, wait = WAIT, ...rest } = policy;
  if (tool === undefined || settledWhen === undefined) return rest;
  return { ...rest, probe: { tool, args, settledWhen, wait, ...(result !== undefined && { result }) } };
}
