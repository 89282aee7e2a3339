import * as z from 'zod';
import { failure } from './failure.ts';
import { asObject, json, jsonObject } from './json.ts';
import { diagnostic, estimate } from './plan.ts';
import { askedBySubGoal } from './sub-goal.ts';
import { namingUnit, task, taskFields } from './task.ts';
import { effect } from './tool.ts';

export const questionKind = z.enum([
  'ambiguity',
  'approval',
  'elicitation',
  'missing_input',
  'in_doubt',
  'plan_approval',
]);

const option = z.object({
  label: z.string(),
  /** The answer that is sent if this option is chosen. */
  value: json,
  /** For an ambiguity: how the choice changes the task's arguments. */
  args: jsonObject.optional(),
  /** For an ambiguity: the tasks that replace this task. The result of the last one counts as its result. */
  tasks: z.array(task).optional(),
});
export type Option = z.infer<typeof option>;

/** What a tool asks before it does anything: options to choose from, or a form. */
export const ambiguity = z.object({
  question: z.string(),
  options: z.array(option),
  form: jsonObject.optional(),
  default: json.optional(),
});

export const question = z.object({
  id: z.string(),
  kind: questionKind,
  text: z.string(),
  /** What the person should know before answering: the call, its arguments, what happened. */
  context: json.optional(),
  /** If present, the answer must be the value of one of these. */
  options: z.array(option).optional(),
  /** JSON Schema of the answer, if options are not enough. */
  form: jsonObject.optional(),
  /** A page where the person does what is asked. The answer only says that it is done. */
  url: z.string().optional(),
  /** The task that waits; missing if the whole run waits. */
  task: z.string().optional(),
  subGoal: askedBySubGoal.optional(),
  /** The version of the plan that waits. */
  plan: z.number().int().optional(),
  /** SHA-256 of operation and arguments, or of the plan. An approval is valid for exactly this. */
  digest: z.string().optional(),
  /** The answer that is used if the question expires. */
  default: json.optional(),
  /** Answers are refused after this time. */
  expiresAt: z.number().optional().describe('Milliseconds since 1970'),
  /** The users who may answer; missing if every user may. */
  answerers: z.array(z.string()).optional(),
});
export type Question = z.infer<typeof question>;

/**
 * What a call would do, in the words of its tool. It is shown beside the call and never instead of it,
 * because a tool can be wrong about itself.
 */
export const preview = z.object({
  summary: z.string(),
  /** For a changed text: a unified diff. */
  diff: z.string().optional(),
  reversible: z.boolean().optional(),
});
export type Preview = z.infer<typeof preview>;

/** What a preview found out. */
export const previewFinding = {
  preview: preview.optional(),
  /** The arguments that the preview is about, if it made them more exact. The call is made with them. */
  args: jsonObject.optional(),
  /** Why there is no preview. The user is asked without it. */
  message: z.string().optional(),
  /** The tool says that the call would fail. The task fails, and the user is not asked. */
  failure: failure.optional(),
  /** The user must choose first. The question follows, and after the answer another preview. */
  ambiguous: z.literal(true).optional(),
};

/** Why a call is made without a question about where its values come from. */
export const trustReason = z.object({
  because: z.enum(['ordered', 'permitted', 'approved', 'observed', 'allowed', 'denied', 'refused']),
  /** The position of the permission, or of the rule in `settings.trust`. */
  permission: z.number().int().nonnegative().optional(),
  rule: z.number().int().nonnegative().optional(),
});

export type TrustReason = z.infer<typeof trustReason>;

/** Why a call is asked about although no policy asks: a stranger's text may have ordered or aimed it. */
const trustAbout = z.object({
  because: z.enum(['not_ordered', 'aimed']),
  /** Each argument, and the result in which its value was read. */
  values: z.array(
    z.object({
      argument: z.string(),
      value: z.string(),
      task: z.string().optional(),
      operation: z.string().optional(),
      quote: z.string().optional(),
      isInGoal: z.boolean().optional(),
    }),
  ),
  /** What was read that sounds like an instruction. It is only shown. */
  flags: z.array(z.object({ task: z.string(), operation: z.string(), quote: z.string() })).optional(),
  /** Servers whose words about their tools the user has not seen. */
  unseen: z.array(z.string()).optional(),
  /** Tools of the program that were called and do not say `trusted`. Their results count as external content. */
  trustMissing: z.array(z.string()).optional(),
});
export type TrustAbout = z.infer<typeof trustAbout>;

const alsoAsked = z.object({ task: z.string(), args: jsonObject, digest: z.string(), trust: trustAbout });
export type AlsoAsked = z.infer<typeof alsoAsked>;

/** The content of a question about a call. It comes from the journal, so it may be of another version. */
export const callAbout = z.object({
  operation: z.string(),
  args: jsonObject,
  effect,
  preview: preview.optional(),
  previewFailed: z.string().optional(),
  trust: trustAbout.optional(),
  /** Other calls of the tool that would be asked about for the same reason. One answer can allow all of them. */
  also: z.array(alsoAsked).optional(),
  /** What else the run has planned, if external content may have ordered or aimed the call. */
  planned: z.array(z.object({ operation: z.string(), effect, calls: z.number().int() })).optional(),
});
export type CallAbout = z.infer<typeof callAbout>;

/**
 * The user approves all calls of this tool in this run, as long as its effect does not get worse. With `args`: only
 * calls with these arguments. The others may differ. With `digests`: only exactly these calls.
 */
export const allowance = z.object({
  operation: z.string(),
  effect,
  args: jsonObject.optional(),
  digests: z.array(z.string()).optional(),
});

/**
 * Whether the call can be undone. The effect `destructive` always means no. Otherwise the preview of the tool says
 * so.
 */
export function reversibility({
  effect: does,
  preview: said,
}: Pick<CallAbout, 'effect' | 'preview'>): 'no' | 'said' | 'unknown' {
  if (does === 'destructive' || said?.reversible === false) return 'no';
  return said?.reversible === true ? 'said' : 'unknown';
}

/** Whether it asks to go on with a step of the plan. */
export function isAboutStep({ context }: Pick<Question, 'context'>): boolean {
  const { step, operation } = asObject(context);
  return typeof step === 'string' && operation === undefined;
}

/** An approval that the user gave for good. It is an entry in the user's settings and can be revoked. */
export const standingApproval = z.object({
  id: z.string(),
  /** Missing if the runs have no user. */
  user: z.string().optional(),
  operation: z.string(),
  /** The effect that the user saw. A worse one is not covered. */
  effect,
  /** Present if only calls with exactly these arguments are covered. */
  args: jsonObject.optional(),
  /** SHA-256 of operation and arguments, beside `args`. */
  digest: z.string().optional(),
  at: z.number().describe('Milliseconds since 1970'),
  /** The run in which it was given. */
  run: z.string(),
  by: z.string().optional(),
});
export type StandingApproval = z.infer<typeof standingApproval>;

/** The content of a question about a plan. It comes from the journal, so it may be of another version. */
export const planAbout = z.object({
  objective: z.string().optional(),
  successCriteria: z.array(z.string()).optional(),
  constraints: z.array(z.string()).optional(),
  reasoning: z.string().optional(),
  /** For a plan whose tasks are not known yet: the most that the run may use. */
  limits: z
    .object({ calls: z.number(), tasks: z.number(), time: z.number(), cost: z.number().optional() })
    .optional(),
  plan: estimate,
  tasks: z.array(
    namingUnit(
      taskFields.extend({
        effect,
        waitsFor: z.array(z.string()).optional(),
        /** Where its values come from, if external content may have chosen them. */
        trust: trustAbout.optional(),
      }),
    ),
  ),
  changes: z
    .object({ added: z.array(z.string()), changed: z.array(task), removed: z.array(task) })
    .optional(),
  notes: z.array(z.string()).optional(),
  problems: z.array(diagnostic).optional(),
});
export type PlanAbout = z.infer<typeof planAbout>;

/** Whether external content may have ordered what the question is about, so that only a person may approve it. */
export function mustBeSeen({ context }: Pick<Question, 'context'>): boolean {
  if (callAbout.safeParse(context).data?.trust !== undefined) return true;
  const { tasks = [] } = planAbout.safeParse(context).data ?? {};
  return tasks.some(({ trust }) => trust?.because === 'not_ordered');
}
