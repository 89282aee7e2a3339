import type { Examined, FindingKind } from '../../../model/finding.ts';
import { countOf, labels } from './labels.ts';

type Unseen = NonNullable<Examined['unseen']>[number];

const BACKUP = 'Restore the file from a backup.';

/** Texts of `dandori doctor`, `store`, `prune` and `stats`. */
export const storage = {
  doctored: {
    looked: (store: string) => `Stored runs: ${store}`,
    healthy: ({ runs, conversations, events, blobs }: Omit<Examined, 'findings'>) =>
      `No problems: ${countOf(runs, 'run')}, ${countOf(conversations, 'conversation')}, ${countOf(events, 'event')}, ${countOf(blobs, 'stored result')}.`,
    unseen: (parts: readonly Unseen[]) =>
      `Not checked, because they aren't stored in files: ${parts.map((part) => (part === 'blobs' ? 'stored results' : part)).join(', ')}.`,
    found: (count: number) => `${countOf(count, 'problem')}:`,
    place: (line: number, offset: number | undefined) =>
      offset === undefined ? `line ${line}` : `line ${line}, byte ${offset}`,
    repaired: 'Repaired',
    howToRepair: 'Repair what can be repaired without loss:  dandori doctor --repair',
    confirm: (what: string) => `Repair this? ${what}`,
    yes: 'Repair',
    no: 'Leave it',
    kinds: {
      'torn-tail': ['Incomplete last line', '--repair or the next resume removes it.'],
      'trailing-garbage': [
        'Unknown data after the last event',
        'Look at it. --repair asks, then removes it.',
      ],
      'lost-newline': [
        'Last line without a newline',
        'The event is complete. --repair asks, then adds the newline.',
      ],
      'damaged-line': ['Damaged line', `${BACKUP} Until then the run can't be resumed.`],
      'missing-line': ['Missing lines', BACKUP],
      'duplicated-line': ['Duplicate line', '--repair asks, keeps a copy, then removes one of the two.'],
      'misplaced-line': ['Line in the wrong place', BACKUP],
      'empty-journal': ['Run without events', 'Restore the file from a backup, or delete it.'],
      'broken-law': [
        'Impossible sequence of events',
        'The file was changed, or Dandori has a bug. Report it with the output of `dandori log`.',
      ],
      'wrong-head': [
        'Row that does not fit its events',
        'The database was changed by hand, or Dandori has a bug. Restore a backup, or report it.',
      ],
      'stale-lock': ['Lock of an ended process', '--repair removes it. It blocks nothing.'],
      'foreign-lock': [
        'Lock of a process on another machine',
        'If that process is gone for good, delete the file.',
      ],
      leftover: ['Incomplete file left by a crash', '`dandori prune` removes it.'],
      'missing-blob': ['Missing stored result', BACKUP],
      'damaged-blob': ['Damaged stored result', BACKUP],
      unreadable: ["Can't be read", 'Give this user read permission.'],
      permissions: ['Other users can read or change it', 'chmod 600 it, or use --repair, which asks first.'],
    } as Readonly<Record<FindingKind, readonly [what: string, fix: string]>>,
  },
  deployment: {
    name: 'Several processes',
    local: (servers: string) =>
      `These stdio servers change data, and each machine has its own: ${servers}. Use a server with an address, or set shared: true if the data is elsewhere.`,
    unlike: (workers: string) => `The configuration here differs from that of ${workers}.`,
    config: (workers: string) => `The configurations of these processes differ: ${workers}.`,
    version: (workers: string) => `These processes have different versions of Dandori: ${workers}.`,
    clock: (workers: string) => `The clock is more than 2 s away from the database: ${workers}.`,
  },
  migrated: (from: number, to: number) =>
    from === to ? `The tables are up to date (version ${to}).` : `The tables now have version ${to}.`,
  copied: {
    progress: (done: number, total: number) => `${done} of ${total}…`,
    copied: (runs: number, conversations: number, blobs: number, bytes: string) =>
      `Copied ${countOf(runs, 'run')}, ${countOf(conversations, 'conversation')} and ${countOf(blobs, 'stored result')}, ${bytes}.`,
    same: (runs: number, conversations: number) =>
      `Already there: ${countOf(runs, 'run')}, ${countOf(conversations, 'conversation')}.`,
    nothing: 'Nothing to copy.',
    unfinished: (count: number) =>
      `${countOf(count, 'copied run')} not finished: from now on use only one of the two stores, or work would be done twice.`,
    left: {
      driven: 'Not copied (running)',
      damaged: 'Not copied (damaged)',
      differs: 'Not copied (different there)',
      secrets: 'Not copied (secrets)',
    },
    bytes: labels.bytes,
  },
  pruned: {
    removed: (runs: number, blobs: number, bytes: string) =>
      `Removed ${countOf(runs, 'run')} and ${countOf(blobs, 'stored result')}, ${bytes}.`,
    wouldRemove: (runs: number, blobs: number, bytes: string) =>
      `To remove: ${countOf(runs, 'run')} and ${countOf(blobs, 'stored result')}, ${bytes}.`,
    nothing: 'Nothing to remove.',
    confirm: 'Remove them permanently?',
    yes: 'Remove',
    no: 'Keep',
    kept: 'Nothing removed.',
    left: { damaged: 'Kept (damaged)', driven: 'Kept (running)' },
    blobsLeft: 'Stored results were kept too, because a damaged run may use them.',
    bytes: labels.bytes,
  },
  reading: (count: number) => `Read ${countOf(count, 'run')}…`,
  statistics: {
    runs: labels.runs,
    completed: labels.completionRate,
    withParts: (count: number, parts: string) => `${count} (${parts})`,
    ofEnded: (rate: string, count: number) => `${rate} of ${count} ended`,
    duration: labels.duration,
    meanAndMedian: (mean: string, median: string) => `mean ${mean}, median ${median}`,
    modelCalls: labels.modelCalls,
    revisions: labels.revisions,
    perRun: (total: number, average: string) => `${total} (${average} per run)`,
    tokens: labels.tokens,
    inAndOut: labels.tokensInOut,
    cost: labels.cost,
    timeouts: labels.timeouts,
    satisfaction: labels.averageRating,
    ratings: (mean: string, count: number) => `${mean} of 5 (${countOf(count, 'rating')})`,
    tools: 'Errors by tool',
    ofCalls: (errors: number, calls: number) => `${errors} of ${countOf(calls, 'call')}`,
    damaged: (count: number) => `Not counted: ${countOf(count, 'damaged run')}`,
  },
};

export type StorageTexts = typeof storage;
