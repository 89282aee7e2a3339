import { findRun } from './find-run.ts';
import { openSession, type SessionOptions } from './session.ts';

export async function resume(name: string, options: SessionOptions): Promise<number> {
  await using session = await openSession(options);
  const run = await findRun(name, session.dandori);
  return await session.follow(run);
}
