import { readAmounts } from './add-budget.ts';
import { findRun } from './find-run.ts';
import { openSession, type SessionOptions } from './session.ts';

export interface ResumeOptions extends SessionOptions {
  readonly addBudget?: string;
}

export async function resume(name: string, { addBudget, ...options }: ResumeOptions): Promise<number> {
  const amounts = addBudget === undefined ? undefined : readAmounts(addBudget);
  await using session = await openSession(options);
  const run = await findRun(name, session.dandori);
  if (amounts !== undefined) await session.dandori.addBudget(run, amounts);
  const { outcome } = await session.dandori.report(run);
  if (outcome === 'paused') await session.dandori.continue(run, { by: options.user });
  return await session.follow(run);
}
