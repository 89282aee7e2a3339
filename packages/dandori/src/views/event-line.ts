import { assertNever } from '../model/error.ts';
import type { Event, FactOf } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import { workOf } from '../model/task.ts';

/** The text after the event type in a line about an event. */
export function describeEvent(event: Event): string {
  switch (event.type) {
    case 'run_started':
      return `${event.data.goal} (mode ${event.data.settings.mode}, mind ${event.data.mind})`;
    case 'decision_made':
      return [event.data.reasoning, event.data.operations?.map(workOf).join(', ')]
        .filter(Boolean)
        .join(' · ');
    case 'plan_proposed':
      return event.data.tasks
        .map((task) => `${task.id} ${workOf(task)}${task.reasoning ? ` (${task.reasoning})` : ''}`)
        .join(' · ');
    case 'plan_approved':
      return event.data.tasks
        .map(({ id, effect, needs }) => `${id} ${effect}${needs ? ` after ${needs.join(',')}` : ''}`)
        .join(' · ');
    case 'plan_revised':
      return `${event.data.reason} · ${event.data.changes.map(({ kind, task }) => `${kind} ${task ?? ''}`.trim()).join(', ')}`;
    case 'reflection_made': {
      const { trigger, status, evaluation, revisionNeeded } = event.data;
      return `${trigger}: ${status}${revisionNeeded ? ', a revision is needed' : ''} · ${evaluation}`;
    }
    case 'plan_rejected':
      if (event.data.reason !== undefined) return `not approved: ${event.data.reason}`;
      return event.data.diagnostics
        .map(({ code, task, message }) => `${code} ${task ?? ''}: ${message}`)
        .join(' · ');
    case 'task_succeeded':
      return `${event.data.task} ${event.data.blob === undefined ? stringifyJson(event.data.result) : event.data.blob.head}`;
    case 'task_failed':
      return `${event.data.task} ${event.data.failure.kind}: ${event.data.failure.message}`;
    case 'inner_call_started':
      return `${event.data.task} ${event.data.operation} ${stringifyJson(event.data.args)} (${event.data.effect}, ${event.data.key})`;
    case 'inner_call_ended':
      return insideText(event.data);
    case 'preview_started':
      return `${event.data.task} ${stringifyJson(event.data.args)}`;
    case 'preview_ended': {
      const { task, preview, message, failure, ambiguous } = event.data;
      return `${task} ${preview?.summary ?? message ?? failure?.message ?? (ambiguous === true ? 'ambiguous' : '')}`;
    }
    case 'call_approved':
      return `${event.data.task} by ${event.data.question ?? `standing approval ${event.data.standing}`}`;
    case 'question_asked':
      return `${event.data.question.id} ${event.data.question.kind}: ${event.data.question.text}`;
    case 'question_answered':
      return answerText(event.data);
    case 'question_expired':
      return `${event.data.question} as ${event.data.as}`;
    case 'note_added':
      return [whose(event.data), event.data.text].filter(Boolean).join(' ');
    case 'cancel_requested':
      return [whose(event.data), event.data.reason].filter(Boolean).join(' ');
    case 'run_finished':
      return `${event.data.outcome} ${event.data.answer ?? event.data.failure?.message ?? ''}`;
    case 'run_resumed':
    case 'decision_started':
    case 'decision_failed':
    case 'task_started':
    case 'task_in_doubt':
    case 'probe_started':
    case 'probe_ended':
    case 'hold_ended':
    case 'answer_applied':
    case 'run_paused':
    case 'run_continued':
    case 'limit_reached':
    case 'budget_added':
    case 'run_rated':
      return stringifyJson(event.data);
    default:
      return assertNever(event);
  }
}

/** Marks words that a model passed on, so that they never look like the user's own words. */
function whose({ by, passedOnBy }: FactOf<'note_added' | 'cancel_requested'>['data']): string | undefined {
  return passedOnBy === undefined ? by : `(passed on by the model of run ${passedOnBy.run})`;
}

function insideText(data: FactOf<'inner_call_ended'>['data']): string {
  const { task, operation, args, key, result, blob, failure, lost, ambiguous } = data;
  const call = `${operation} ${args === undefined ? `(${key})` : stringifyJson(args)}`;
  const value = blob === undefined ? stringifyJson(result ?? null) : blob.head;
  const ended = failure === undefined ? (lost?.message ?? ambiguous?.question) : failure.message;
  return `${task} ${call} ${ended === undefined ? `→ ${value}` : `${failure?.kind ?? 'in doubt'}: ${ended}`}`;
}

function answerText({
  question,
  answer,
  label,
  declined,
  comment,
  by,
  readBy,
}: FactOf<'question_answered'>['data']): string {
  const chose = label === undefined ? stringifyJson(answer) : `chose: ${label}`;
  const said = declined === true ? 'declined' : chose;
  const read = readBy === undefined ? undefined : `(read by the model of run ${readBy.run})`;
  return [question, said, comment, by === undefined ? undefined : `(${by})`, read].filter(Boolean).join(' ');
}
