import type { Event, FactOf } from '../domain/event.ts';
import { announceTorn } from './announce.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { oneLine, styleFor } from './style.ts';
import { textsFor } from './texts.ts';

export async function log(
  name: string,
  options: { config?: string; json?: boolean; follow?: boolean },
): Promise<number> {
  await using dandori = await openDandori({
    configFile: options.config,
    tools: false,
    onTorn: (tail) => announceTorn(tail, textsFor({ language: dandori.config.language })),
  });
  const run = await findRun(name, dandori);
  let seen = 0;
  let hasEnded = false;
  let wake = () => {};
  const unwatch = dandori.watch(run, () => wake());
  // Nobody reads any more: `dandori log last --follow | head -1`.
  process.stdout.once('error', () => {
    hasEnded = true;
    wake();
  });
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const event of await dandori.events(run, seen)) {
        seen = event.seq;
        hasEnded ||= event.type === 'run_finished';
        process.stdout.write(options.json === true ? `${JSON.stringify(event)}\n` : `${lineOf(event)}\n`);
      }
      if (options.follow !== true || hasEnded) return 0;
      // The watcher does not keep the process alive by itself.
      const alive = setInterval(() => {}, 60_000);
      await changed.finally(() => clearInterval(alive));
    }
  } finally {
    unwatch();
  }
}

function lineOf(event: Event): string {
  const style = styleFor(process.stdout);
  const time = new Date(event.at).toISOString().slice(11, 23);
  return `${style.dim(`${String(event.seq).padStart(4)} ${time}`)} ${style.bold(event.type)} ${oneLine(describe(event), 160)}`;
}

function describe(event: Event): string {
  switch (event.type) {
    case 'run_started':
      return `${event.data.goal} (mode ${event.data.settings.mode}, mind ${event.data.mind})`;
    case 'decision_made':
      return [event.data.reasoning, event.data.operations?.map(({ operation }) => operation).join(', ')]
        .filter(Boolean)
        .join(' · ');
    case 'plan_proposed':
      return event.data.tasks
        .map(({ id, operation, reasoning }) => `${id} ${operation}${reasoning ? ` (${reasoning})` : ''}`)
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
      return `${event.data.task} ${event.data.blob === undefined ? JSON.stringify(event.data.result) : event.data.blob.head}`;
    case 'task_failed':
      return `${event.data.task} ${event.data.failure.kind}: ${event.data.failure.message}`;
    case 'question_asked':
      return `${event.data.question.id} ${event.data.question.kind}: ${event.data.question.text}`;
    case 'question_answered':
      return answerText(event.data);
    case 'question_expired':
      return `${event.data.question} as ${event.data.as}`;
    case 'note_added':
      return `${event.data.by ?? ''} ${event.data.text}`.trim();
    case 'run_finished':
      return `${event.data.outcome} ${event.data.answer ?? event.data.failure?.message ?? ''}`;
    default:
      return JSON.stringify(event.data);
  }
}

function answerText({
  question,
  answer,
  declined,
  comment,
  by,
}: FactOf<'question_answered'>['data']): string {
  const said = declined === true ? 'declined' : JSON.stringify(answer);
  return [question, said, comment, by === undefined ? undefined : `(${by})`].filter(Boolean).join(' ');
}
