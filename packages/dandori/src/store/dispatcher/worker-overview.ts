import * as z from 'zod';

/** What a process says about itself to the others. */
export interface WorkerAbout {
  readonly role: 'serve' | 'work';
  readonly version: string;
  /** Equal for equal configurations, as far as runs depend on them. */
  readonly config: string;
  readonly atOnce: number;
}

export const workerSchema = z.object({
  name: z.string().describe('Its process and machine'),
  isThis: z.boolean().describe('The process that answers'),
  role: z.enum(['serve', 'work']).optional(),
  version: z.string().optional(),
  config: z.string().optional().describe('Equal for equal configurations, without `server`'),
  startedAt: z.number().describe('In milliseconds since 1970'),
  leaseUntil: z
    .number()
    .nullable()
    .describe(
      'When its leases end unless it renews them, in milliseconds since 1970; null: with the process',
    ),
  isAlive: z.boolean().describe('Its leases have not ended'),
  clockOffsetMs: z.number().nullable().describe('How far its clock is ahead of the database'),
  atOnce: z.number().int().optional().describe('The most runs that it drives at the same time'),
  runs: z.array(z.string()).readonly().describe('The runs that it drives, the first 100'),
  driving: z.number().int().describe('How many it drives'),
});
export type WorkerNow = z.infer<typeof workerSchema>;

export const overviewSchema = z.object({
  workers: z.array(workerSchema).readonly(),
  queue: z.object({
    due: z.number().int().describe('Runs that wait for a worker'),
    later: z.number().int().describe('Runs that are woken at a time'),
    stranded: z.number().int().describe('Runs whose worker has lost its lease'),
    parked: z
      .number()
      .int()
      .nullable()
      .describe('Runs that wait for a person or an event; null if nothing counts them'),
  }),
  warnings: z
    .array(
      z.object({ kind: z.enum(['config', 'version', 'clock']), workers: z.array(z.string()).readonly() }),
    )
    .readonly()
    .describe('Workers that differ from each other'),
});
export type Overview = z.infer<typeof overviewSchema>;

/** Milliseconds. Beyond it, deadlines and times in journals are visibly wrong. */
const MOST_OFFSET = 2_000;

/** Workers that should not be as they are. */
export function warningsAbout(workers: readonly WorkerNow[]): Overview['warnings'] {
  const alive = workers.filter(({ isAlive, role }) => isAlive && role !== undefined);
  const differing = (kind: 'config' | 'version') => {
    const groups = [...Map.groupBy(alive, (worker) => worker[kind]).values()];
    const [most = [], second] = groups.sort((one, other) => other.length - one.length);
    if (second === undefined) return [];
    // Those that are unlike most of them, or all if there is no majority.
    const unlike = most.length > second.length ? alive.filter((worker) => !most.includes(worker)) : alive;
    return [{ kind, workers: unlike.map(({ name }) => name) }];
  };
  const late = alive.filter(({ clockOffsetMs }) => Math.abs(clockOffsetMs ?? 0) > MOST_OFFSET);
  return [
    ...differing('config'),
    ...differing('version'),
    ...(late.length === 0 ? [] : [{ kind: 'clock' as const, workers: late.map(({ name }) => name) }]),
  ];
}
