import type { Failure } from '../../model/failure.ts';
import type { RunState, TaskState } from '../../run/state/state.ts';
import { shownIn } from '../../views/media.ts';
import type { ShownFile, Thought } from '../mind.ts';
import { FILES_REFUSED, pastOf } from './past.ts';
import type { ModelMessage } from './wire/wire.ts';

/**
 * Whether files are shown. We don't know which models can see. One that refuses a call with files is asked again without
 * them, and shown none in the rest of the run. Only the journal records that.
 */
export function isShownFiles(state: Pick<RunState, 'decisions'>): boolean {
  return !pastOf(state).hasRefusedFiles;
}

/** Statuses with which servers refuse what they don't know. Some say 404 or 500. */
const REFUSED = [400, 404, 413, 415, 422];

/** The failure of a call with files. Another reason shows itself in the call without them. */
export function withoutFilesNext(
  failure: Failure,
  error: unknown,
  messages: readonly ModelMessage[],
): Failure {
  const hasFiles = messages.some((message) => message.role === 'user' && message.files !== undefined);
  const status = typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  const isAboutFiles =
    REFUSED.includes(Number(status)) || /\b(image|vision|multimodal|mmproj|pdf|file)/i.test(failure.message);
  if (!hasFiles || !isAboutFiles || failure.kind !== 'model_error') return failure;
  const message = `The model did not take the pictures or files. It is asked without them. ${failure.message}`;
  return { kind: 'model_error', message, code: FILES_REFUSED };
}

/** The tasks whose pictures stand in a prompt. */
export function shownTasks(tasks: readonly TaskState[], state: RunState): string[] {
  const withPictures = tasks.filter((task) => shownIn(task).length > 0);
  return isShownFiles(state) ? withPictures.map(({ task }) => task.id) : [];
}

interface Filled {
  readonly files: readonly ShownFile[];
  readonly message: ModelMessage;
}

const filled = new WeakMap<ModelMessage, Filled>();

/** Attached files stand with the goal, which is in the first message, and pictures of results after their results. */
export function withFiles(
  messages: readonly ModelMessage[],
  { files = [], state }: Pick<Thought, 'files' | 'state'>,
): readonly ModelMessage[] {
  if (files.length === 0 || !isShownFiles(state)) return messages;
  return messages.map((message, index) => {
    if (message.role !== 'user') return message;
    const { shows = [] } = message;
    const own = files.filter(({ task }) => (task === undefined ? index === 0 : shows.includes(task)));
    if (own.length === 0) return message;
    // The same object again, so that it is serialized once.
    const before = filled.get(message);
    const isSame =
      before?.files.length === own.length && before.files.every(({ data }, at) => data === own[at]?.data);
    if (before !== undefined && isSame) return before.message;
    const made = { ...message, files: own };
    filled.set(message, { files: own, message: made });
    return made;
  });
}
