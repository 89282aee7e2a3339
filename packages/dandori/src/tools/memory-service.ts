import * as z from 'zod';
import { shown } from '../model/redact.ts';
import { roughTokens } from '../model/text.ts';
import {
  isNoteName,
  LONGEST_NOTE,
  MOST_NOTES,
  NAME_RULE,
  type Note,
  notesFolder,
  readNote,
  readNotes,
  removeNote,
  writeNote,
} from './notes.ts';
import { defineService, type Service, type ServiceMethod } from './service.ts';
import type { Call } from './toolbox.ts';

/** Notes that outlive runs. */
export interface Memory {
  readonly service: Service;
  /**
   * What a run is told at its start; undefined if there is nothing. In a guarded run, notes with external content are
   * left out. The model reads them with `memory.read`, like any text of a stranger.
   */
  atStart(options: {
    readonly userId: string | undefined;
    readonly isGuarded: boolean;
  }): Promise<string | undefined>;
}

interface MemoryOptions {
  readonly folder: string;
  /** Tokens of what a run is told at its start. */
  readonly tokens: number;
  /** The user whose notes are in the folder itself. */
  readonly userId: string | undefined;
}

const name = z.string().refine(isNoteName, { error: NAME_RULE }).describe('such as favourite-shops');

export function createMemory({ folder: base, tokens, userId: own }: MemoryOptions): Memory {
  const folderOf = (userId: string | undefined) => notesFolder(base, userId === own ? undefined : userId);

  const service = defineService({
    name: 'memory',
    methods: {
      read: {
        description:
          'Reads a note that an earlier run or the user wrote down. Without a name: the names of all notes.',
        effect: 'read',
        // Most notes are told at the start. What is left may be external content.
        trusted: false,
        input: z.object({ name: name.optional() }),
        output: z.object({ text: z.string().optional(), notes: z.array(z.string()).optional() }),
        run: async ({ name: wanted }, { userId }) => {
          const folder = folderOf(userId);
          if (wanted === undefined) return { notes: (await readNotes(folder)).map((note) => note.name) };
          const note = await readNote(folder, wanted);
          if (note === undefined) throw new Error(`there is no note ${wanted}`);
          return { text: note.text };
        },
      },
      write: {
        description:
          'Writes a note for later runs, in Markdown: a lasting fact or wish of the user. Replaces the note of this name, so write all of it.',
        effect: 'idempotent',
        trusted: true,
        input: z.object({ name, text: z.string().min(1) }),
        output: z.object({ written: z.string() }),
        run: async ({ name: wanted, text }, { userId, isClean }) => {
          const folder = folderOf(userId);
          if (Buffer.byteLength(text) > LONGEST_NOTE - 200)
            throw new Error(`a note can have ${LONGEST_NOTE - 200} bytes: write less, or two notes`);
          const notes = await readNotes(folder);
          if (notes.length >= MOST_NOTES && notes.every((note) => note.name !== wanted))
            throw new Error(`there are ${MOST_NOTES} notes already: remove one first`);
          await writeNote(folder, { name: wanted, text, isExternal: !isClean });
          return { written: wanted };
        },
      },
      remove: {
        description: 'Removes a note.',
        effect: 'destructive',
        trusted: true,
        input: z.object({ name }),
        output: z.object({ removed: z.string() }),
        run: async ({ name: wanted }, { userId }) => {
          if (!(await removeNote(folderOf(userId), wanted))) throw new Error(`there is no note ${wanted}`);
          return { removed: wanted };
        },
      },
    },
  });

  return {
    service: { ...service, methods: service.methods.map(withoutSecrets) },
    atStart: async ({ userId, isGuarded }) => tell(await readNotes(folderOf(userId)), { tokens, isGuarded }),
  };
}

/** A method gets secrets as they are. A note must not contain them. */
function withoutSecrets(method: ServiceMethod): ServiceMethod {
  const hidden = ({ args, seal }: Call) => shown(seal?.(args) ?? args) as Call['args'];
  return { ...method, call: (call, inner) => method.call({ ...call, args: hidden(call) }, inner) };
}

/** The newest notes that fit, by name. */
function tell(
  notes: readonly Note[],
  { tokens, isGuarded }: { tokens: number; isGuarded: boolean },
): string | undefined {
  if (notes.length === 0) return undefined;
  const known = notes.filter(({ isExternal }) => !isGuarded || !isExternal);
  const told = new Set<Note>();
  let left = tokens;
  for (const note of known.toSorted((one, other) => other.changedAt - one.changedAt)) {
    const weight = roughTokens(partOf(note));
    if (weight > left) continue;
    left -= weight;
    told.add(note);
  }
  const others = known.filter((note) => !told.has(note)).map((note) => note.name);
  const external = notes.length - known.length;
  return [
    'Notes from the user and from earlier runs (memory.write changes them):',
    ...known.filter((note) => told.has(note)).map(partOf),
    ...(others.length === 0 ? [] : [`Not shown, read them with memory.read: ${others.join(', ')}`]),
    ...(external === 0
      ? []
      : [`Notes with external content, which memory.read lists and reads: ${external}`]),
  ].join('\n\n');
}

function partOf({ name: title, text }: Note): string {
  return `## ${title}\n${text}`;
}
