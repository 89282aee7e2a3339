import { assertNever } from '../model/error.ts';
import type { Event, FactOf, Live } from '../model/event.ts';
import type { Step } from '../model/plan.ts';
import { isStep, workOf } from '../model/task.ts';
import { displayWidth } from '../model/text.ts';
import { progressOf } from '../run/brief.ts';
import { closing } from '../run/closing.ts';
import { apply } from '../run/state/apply.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { durationText } from '../views/report.ts';
import { oneLine, printable, type Style, styleFor } from './style.ts';
import type { Texts } from './texts.ts';

/** Shows a run live. It folds the events with the same `apply` as the engine. */
export interface Progress {
  event(event: Event): void;
  /** Applies an event from before this process watched, without showing it. */
  replay(event: Event): void;
  live(live: Live): void;
  /** Prints a line above the part that is redrawn. */
  note(text: string): void;
  /** Stops drawing, and leaves the last state on the screen. */
  end(): void;
}

const MOST_LINES = 12;
/** Shorter waits are not shown, in milliseconds. */
const SHORTEST_TOLD = 2_000;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

export function createProgress(stream: NodeJS.WriteStream, texts: Texts): Progress {
  return stream.isTTY ? drawnProgress(stream, texts) : printedProgress(stream, texts);
}

/** For pipes and logs: one line per event. */
function printedProgress(stream: NodeJS.WriteStream, texts: Texts): Progress {
  const style = styleFor(stream);
  let state: RunState | undefined;
  return {
    event(event) {
      state = apply(state, event);
      for (const line of linesOf(event, state, { texts, style })) stream.write(`${line}\n`);
    },
    replay(event) {
      state = apply(state, event);
    },
    live(live) {
      if (live.type !== 'task_progress') return;
      const text = progressText(live);
      if (text !== '') stream.write(`  ${live.task} ${printable(text)}\n`);
    },
    note: (text) => void stream.write(`${text}\n`),
    end() {},
  };
}

/** Many servers report only a fraction, and some report neither a fraction nor a message. */
function progressText({ message, fraction }: Live & { type: 'task_progress' }): string {
  if (message !== '' || fraction === undefined) return message;
  return `${Math.round(fraction * 100)}%`;
}

interface Wording {
  readonly texts: Texts;
  readonly style: Style;
}

function linesOf(event: Event, state: RunState, { texts, style }: Wording): string[] {
  switch (event.type) {
    case 'run_resumed':
      return [style.dim(texts.resumed)];
    case 'decision_started':
      return [
        ...(event.data.brief?.loop === undefined ? [] : [style.yellow(texts.circles)]),
        style.dim(thinkingText(event.data, texts)),
      ];
    case 'decision_failed':
      return [
        `${style.red('✗')} ${printable(texts.message(event.data.failure.message))}`,
        ...whatNext(event, state, texts).map((text) => style.dim(`  ${text}`)),
      ];
    case 'reflection_made': {
      const { status, evaluation } = event.data;
      const parts = [texts.reflected(status), ...(evaluation === '' ? [] : [evaluation])];
      return [style.dim(oneLine(parts.join(' · '), 200))];
    }
    case 'plan_proposed':
      return outlineLines(event.data.outline?.steps ?? [], texts);
    case 'plan_revised':
      return [
        oneLine(texts.revised(event.data.reason), 200),
        ...outlineLines(event.data.outline?.steps ?? [], texts),
      ];
    case 'note_added':
      return [style.cyan(oneLine(noteText(event.data, texts), 200))];
    case 'run_paused':
      return [style.yellow(texts.pausing)];
    case 'run_continued':
      return [style.dim(texts.resumed)];
    case 'question_expired':
      return [style.yellow(texts.questionExpired(event.data.question))];
    case 'budget_added':
      return [style.dim(texts.budgetAdded)];
    case 'plan_approved':
      return plannedLines(event.data.tasks, state, texts);
    case 'plan_rejected':
      if (event.data.reason !== undefined) return [oneLine(texts.vetoed(event.data.reason), 200)];
      return [
        event.data.repeats === undefined ? texts.rejected : texts.repeated,
        ...event.data.diagnostics.map(
          ({ task, message }) =>
            `  ${task === undefined ? '' : `${task} `}${printable(texts.message(message))}`,
        ),
      ];
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
      return [taskLine(state.tasks.get(event.data.task), { texts, style }, event.at)];
    case 'preview_ended':
      return event.data.failure === undefined
        ? []
        : [taskLine(state.tasks.get(event.data.task), { texts, style }, event.at)];
    case 'probe_ended':
      return probeLines(event.data, state, { texts, style }, event.at);
    case 'run_started':
    case 'decision_made':
    case 'task_started':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_started':
    case 'preview_started':
    case 'call_approved':
    case 'question_asked':
    case 'hold_ended':
    case 'answer_applied':
    case 'question_answered':
    case 'limit_reached':
    case 'cancel_requested':
    case 'run_finished':
    case 'run_rated':
      return [];
    default:
      return assertNever(event);
  }
}

/** If the probe found nothing out, a question follows and says so. */
function probeLines(
  { task, found }: FactOf<'probe_ended'>['data'],
  state: RunState,
  wording: Wording,
  now: number,
): string[] {
  const { texts, style } = wording;
  if (found === 'unknown') return [];
  if (found === 'not_happened') return [style.dim(`  ${task} ${texts.notHappened}`)];
  return [`${taskLine(state.tasks.get(task), wording, now)} ${style.dim(texts.happened)}`];
}

/** Short waits are not shown, and neither are waits that will not happen. */
function whatNext(
  { at, data }: Extract<Event, { type: 'decision_failed' }>,
  state: RunState,
  texts: Texts,
): string[] {
  if (data.next !== undefined) return [texts.nextModel(printable(data.next))];
  const wait = state.thinkAfter - at;
  const isLast = closing(state, at).length > 0;
  return wait >= SHORTEST_TOLD && !isLast ? [texts.askingAgain(durationText(wait))] : [];
}

function thinkingText(
  { purpose, brief }: Pick<FactOf<'decision_started'>['data'], 'purpose' | 'brief'>,
  texts: Texts,
): string {
  if (purpose === 'generate') return texts.generating((brief?.steps ?? []).join(', '));
  return purpose === 'act' ? texts.planning : texts.answering;
}

function outlineLines(steps: readonly Step[], texts: Texts): string[] {
  if (steps.length === 0) return [];
  return [
    texts.outlined(steps.length),
    ...steps.map(({ id, description }) => `  ${id} ${oneLine(description, 100)}`),
  ];
}

/** The outline already shows the steps, so only the calls are counted here. */
function plannedLines(planned: readonly { id: string }[], state: RunState, texts: Texts): string[] {
  const tasks = planned.filter(({ id }) => !isStep(state.tasks.get(id)?.task ?? { operation: '' }));
  return tasks.length === 0 ? [] : [texts.planned(tasks.length)];
}

function taskLine(task: TaskState | undefined, { texts, style }: Wording, now: number): string {
  if (task === undefined) return '';
  const { id, description } = task.task;
  const work = workOf(task.task);
  const about =
    description === undefined || description === work ? '' : style.dim(` ${oneLine(description, 60)}`);
  const head = `${id} ${oneLine(work, 60)}${about}`;
  const ms = style.dim(
    durationText(task.status === 'running' ? now - (task.startedAt ?? now) : (task.ms ?? 0)),
  );
  switch (task.status) {
    case 'succeeded':
      return `${style.green('✓')} ${head} ${ms}`;
    case 'failed':
      return `${style.red('✗')} ${head} ${ms} ${style.red(oneLine(texts.message(task.failure?.message ?? ''), 200))}`;
    case 'retrying':
      return `${style.yellow('↻')} ${head} ${style.yellow(texts.retrying(task.attempts, durationText((task.dueAt ?? now) - now)))} ${oneLine(texts.message(task.failure?.message ?? ''), 120)}`;
    case 'in_doubt':
    case 'waiting':
      return `${style.yellow('?')} ${head} ${style.yellow(task.status === 'in_doubt' ? texts.inDoubt : texts.waiting)}`;
    case 'blocked':
      return `${style.dim('-')} ${head} ${style.dim(texts.blocked)}`;
    case 'pending':
    case 'ready':
    case 'running':
    case 'expanding':
      return `${style.cyan('▸')} ${head} ${ms}`;
    default:
      return assertNever(task.status);
  }
}

function howFar(state: RunState, texts: Texts): string[] {
  const progress = progressOf(state);
  const tasks = [...state.tasks.values()].filter(({ task }) => !isStep(task));
  const done = tasks.filter(({ status }) => status === 'succeeded').length;
  return [
    ...(progress === undefined ? [] : [texts.stepsDone(progress.done, progress.total)]),
    ...(tasks.length > 1 ? [`${done}/${tasks.length}`] : []),
  ];
}

/** For a terminal: running tasks are redrawn, and finished ones scroll away above them. */
function drawnProgress(stream: NodeJS.WriteStream, texts: Texts): Progress {
  const style = styleFor(stream);
  const wording = { texts, style };
  const messages = new Map<string, string>();
  let state: RunState | undefined;
  let drawn = 0;
  let frame = 0;
  const answer = new WrittenLines();

  const columns = () => (stream.columns || 80) - 2;

  function erase(): void {
    // Also returns to the first column, because the terminal may have echoed ^C.
    if (drawn > 0) stream.write(`\r\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  }

  function draw(): void {
    if (state === undefined) return;
    const lines = current(state).slice(0, MOST_LINES);
    const hidden = state.indexes.running.size - lines.length;
    if (hidden > 0) lines.push(style.dim(`  ${texts.more(hidden)}`));
    if (state.end === undefined) lines.push(...howFar(state, texts).map((line) => style.dim(`  ${line}`)));
    const text = lines.map((line) => clipped(line, columns())).join('\n');
    if (text !== '') stream.write(`${text}\n`);
    drawn = lines.length;
  }

  function current({ indexes: { running }, tasks, thinking, end }: RunState): string[] {
    if (end !== undefined) return [];
    const spinner = style.cyan(FRAMES[frame % FRAMES.length] ?? '');
    const now = Date.now();
    const lines = [...running].slice(0, MOST_LINES).map((id) => {
      const line = taskLine(tasks.get(id), wording, now).replace(style.cyan('▸'), spinner);
      const message = messages.get(id);
      return message === undefined ? line : `${line} ${style.dim(oneLine(message, 60))}`;
    });
    if (thinking !== undefined) {
      const written = answer.last(MOST_LINES - 1).map((line) => style.dim(line));
      lines.push(`${spinner} ${style.dim(thinkingText(thinking, texts))}`, ...written);
    }
    return lines;
  }

  function redraw(above: string[] = []): void {
    erase();
    for (const line of above) stream.write(`${line}\n`);
    draw();
  }

  const timer = setInterval(() => {
    frame++;
    redraw();
  }, 100);
  timer.unref();
  return {
    event(event) {
      state = apply(state, event);
      if (event.type === 'decision_started') answer.clear();
      const lines = event.type === 'decision_started' ? [] : linesOf(event, state, wording);
      redraw(lines.map((line) => clipped(line, (stream.columns || 80) * 3)));
    },
    replay(event) {
      state = apply(state, event);
    },
    live(live) {
      if (live.type === 'task_progress') messages.set(live.task, progressText(live));
      if (live.type === 'answer_text') answer.push(live.text, columns());
    },
    note: (text) => redraw([text]),
    end() {
      clearInterval(timer);
      erase();
    },
  };
}

/** Clips by display width: escape codes take no columns, and wide characters take two. */
function clipped(line: string, width: number): string {
  let room = width;
  let result = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is looked for
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b[')) result += part;
    else {
      for (const character of part) {
        room -= displayWidth(character);
        if (room >= 0) result += character;
      }
    }
  }
  return result;
}

/** A note that the model of another run passed on must not look like the user's own words. */
export function noteText({ text, passedOnBy }: FactOf<'note_added'>['data'], texts: Texts): string {
  return passedOnBy === undefined ? texts.noteAdded(text) : texts.notePassedOn(text, passedOnBy.run);
}

/**
 * Wraps text into terminal lines while it is being written. A full line never changes, so that nothing jumps.
 */
class WrittenLines {
  #lines: string[] = [''];
  #columns = 0;

  push(text: string, width: number): void {
    for (const character of printable(text.replaceAll('\t', ' '))) {
      const wide = displayWidth(character);
      if (character === '\n' || this.#columns + wide > width) {
        this.#lines.push('');
        this.#columns = 0;
      }
      if (character === '\n') continue;
      this.#lines[this.#lines.length - 1] += character;
      this.#columns += wide;
    }
  }

  /** The newest lines. Empty lines are left out. */
  last(count: number): string[] {
    return this.#lines.filter((line) => line !== '').slice(-count);
  }

  clear(): void {
    this.#lines = [''];
    this.#columns = 0;
  }
}
