import * as z from 'zod';

/**
 * What can be wrong with stored runs and conversations.
 *
 * - `torn-tail`         a partial line at the end, left by a crash; it contains nothing that was acknowledged
 * - `trailing-garbage`  bytes at the end that are not the beginning of the next event
 * - `lost-newline`      the last event is complete but its newline is missing
 * - `damaged-line`      a line that is no event, or whose checksum is wrong
 * - `missing-line`      events are missing between two others
 * - `duplicated-line`   an event that appears twice
 * - `misplaced-line`    an event with the number of an earlier one but other content
 * - `empty-journal`     a file without a single event
 * - `broken-law`        all lines are intact, but together they describe something impossible
 * - `wrong-head`        the row of a run in a database does not say what its events say
 * - `stale-lock`        a lock of a dead process, or a lease that no worker takes over
 * - `foreign-lock`      a lock of a process on another machine, which cannot be checked from here
 * - `leftover`          a partial file that a crash left
 * - `missing-blob`      a run refers to a stored result that is missing
 * - `damaged-blob`      a stored result that does not match its hash
 * - `unreadable`        a file or folder that cannot be read
 * - `permissions`       other users can read or change what only the owner should
 */
const findingKind = z.enum([
  'torn-tail',
  'trailing-garbage',
  'lost-newline',
  'damaged-line',
  'missing-line',
  'duplicated-line',
  'misplaced-line',
  'empty-journal',
  'broken-law',
  'wrong-head',
  'stale-lock',
  'foreign-lock',
  'leftover',
  'missing-blob',
  'damaged-blob',
  'unreadable',
  'permissions',
]);
export type FindingKind = z.infer<typeof findingKind>;

const finding = z.object({
  kind: findingKind,
  file: z.string().describe('A file, or the table and the row'),
  run: z.string().optional(),
  /** Set instead of `run` if the finding is about the journal of a conversation. */
  conversation: z.string().optional(),
  line: z.number().int().optional().describe('From 1'),
  offset: z.number().int().optional().describe('Where the line begins in the file, in bytes'),
  bytes: z.number().int().optional(),
  detail: z.string().describe('What exactly, in English'),
  repair: z
    .enum(['safe', 'ask'])
    .optional()
    .describe('`safe` if a repair removes nothing that counts, `ask` if the user must decide'),
  isRepaired: z.boolean().optional(),
});
export type Finding = Readonly<z.infer<typeof finding>>;

export const examinedSchema = z.object({
  store: z.string().optional().describe('The folder or database that was looked at'),
  runs: z.number().int(),
  conversations: z.number().int(),
  events: z.number().int().describe('Of runs and conversations'),
  blobs: z.number().int(),
  unseen: z
    .array(z.enum(['runs', 'conversations', 'blobs']))
    .readonly()
    .optional()
    .describe(
      'Parts that were not checked, because they are in memory or in a store that cannot be checked; absent if everything was checked',
    ),
  findings: z.array(finding).readonly(),
});
export type Examined = Readonly<z.infer<typeof examinedSchema>>;

/** The event that broke a law, and how. */
export interface Breach {
  readonly seq: number;
  readonly message: string;
}
