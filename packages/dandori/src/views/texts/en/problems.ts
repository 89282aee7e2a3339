import type { ErrorCode } from '../../../model/error.ts';
import type { FailureKind } from '../../../model/failure.ts';
import type { DiagnosticCode } from '../../../model/plan.ts';
import { labels } from './labels.ts';
import { words } from './words.ts';

/** What happened, and the fix if there is one that always helps. */
type Problem = readonly [what: string, fix?: string];

/**
 * Texts for failures, errors and plan problems, by code. Errors and diagnostics also have a detailed message
 * in English.
 */
export interface Problems {
  readonly failures: Readonly<Record<FailureKind, Problem>>;
  readonly errors: Readonly<Record<ErrorCode, Problem>>;
  readonly diagnostics: Readonly<Record<DiagnosticCode, string>>;
}

export const problems: Problems = {
  failures: {
    tool_error: [
      'The tool returned an error',
      'Read the message of the tool, then correct the arguments or the tool.',
    ],
    timeout: ['The call timed out', "Raise the task's timeout, or execution.task_timeout."],
    unavailable: ['The tool is not available', 'Check under Tools whether its server is running.'],
    invalid_args: ['Invalid arguments', 'Correct them in the plan and fork the run.'],
    invalid_result: ["The result doesn't match the tool's output schema", 'Fix the tool.'],
    unexpected: ["The result isn't what the plan expects", 'Compare the result with `expect` in the plan.'],
    too_large: ['The result is too large', 'Ask the tool for less at a time.'],
    rejected: [words.statuses.rejected],
    cancelled: [words.statuses.cancelled],
    model_error: [
      "The language model couldn't be used",
      'Check its API key, address and rate limits, then run again.',
    ],
    unusable_output: ["The model's answer couldn't be used", 'Try again, or use another model.'],
    plan_error: ['No valid plan', 'Describe the goal more precisely, or use a plan file.'],
    not_possible: ['Not possible', 'Change the goal, or add the missing tools.'],
  },
  errors: {
    'config-invalid': ['The configuration has a problem.'],
    'config-not-found': ['Configuration file not found.', 'Check the path given with --config.'],
    'environment-variable-missing': ["An environment variable isn't set.", 'Set it, then try again.'],
    'plan-invalid': ['The plan has problems.', 'Correct them, then check the plan with `dandori check`.'],
    'goal-invalid': ['The goal is missing or too long.'],
    'run-not-found': ['Run not found.', 'List the runs with `dandori runs`.'],
    'run-exists': ['A run with this id already exists.'],
    'run-ended': ['The run has already ended.'],
    'run-not-ended': ["The run hasn't ended yet."],
    'run-waiting': ['The run waits for an answer.', 'Answer it with `dandori answer`.'],
    'run-failed': ['The run ended without an answer.'],
    'run-driven-elsewhere': ['The run is already running in another process.'],
    'tools-missing': ['The run uses tools of a program, and this process has none.'],
    'conversation-not-found': ['Conversation not found.', 'List them with `dandori chat --list`.'],
    'journal-conflict': ['Another process wrote to the run in the meantime.', 'Try again.'],
    'journal-damaged': ['The journal is damaged.', 'Check it with `dandori doctor`.'],
    'journal-unwritable': ["The journal can't be written."],
    'blob-damaged': ['A stored result is missing or damaged.', 'Restore it from a backup.'],
    'approval-not-found': ['Standing approval not found.', 'List them with `dandori approvals`.'],
    'question-not-found': ['Question not found.', 'List the open ones with `dandori questions`.'],
    'question-answered': ['The question already has an answer.'],
    'question-expired': ['The question has expired.'],
    'answer-invalid': ["The answer isn't valid."],
    'answer-not-allowed': ["You can't answer this question."],
    'service-invalid': ["A service can't be used."],
    'store-incomplete': ['The store is incomplete.'],
    'store-outdated': ['The tables of the store have another version.'],
    'store-unreachable': ["The database can't be reached.", 'Check that it runs, then try again.'],
    'file-unreadable': ["A file can't be read."],
    'key-reused': ['This idempotency key was used for another request.'],
    unauthorized: [labels.tokenInvalid, 'Sign in with a valid access token.'],
    forbidden: ["Your access token doesn't allow this."],
    'request-invalid': ["The request isn't valid."],
    'request-too-large': ['The request is too large.'],
    'route-not-found': ['The server has nothing at this address.'],
    'too-many-requests': [labels.tooManyRequests, labels.waitAndRetry],
    'server-stopping': ['The server is stopping.', labels.sendAgain],
    'server-failed': ['The server had an internal error.'],
    'login-failed': ["The login didn't work."],
    'server-unreachable': [labels.serverSilent, labels.sendAgain],
    'worker-failed': ['A worker process ended.', 'Continue the run with `dandori resume`.'],
    usage: ['Invalid command.'],
  },
  diagnostics: {
    'empty-plan': 'The plan has no tasks',
    'duplicate-id': 'Duplicate task id',
    'invalid-id': 'Invalid task id',
    'unknown-operation': 'Unknown tool',
    'invalid-args': 'Invalid arguments',
    'invalid-ref': 'Invalid reference',
    'dangling-ref': 'Reference to a missing task',
    'self-reference': 'The task refers to itself',
    cycle: 'Circular dependency',
    'unknown-after': '`after` names a missing task',
    'invalid-expect': 'Invalid `expect`',
    placeholder: 'Placeholder instead of a value',
    'order-rule': 'Order rule broken',
    'too-many-tasks': 'Too many tasks',
    'unknown-field': 'Reference to a missing field',
    'type-clash': 'Type mismatch',
    'dead-step': 'Unused result',
    'needless-after': 'Needless `after`',
    'over-budget': 'Over the limit',
    'already-done': 'Already done',
  },
};
