import type { Config } from '../config/config.ts';
import { DandoriError } from '../domain/error.ts';
import { mayAct, type User } from './users.ts';

/** What another model costs is for who runs the server to say. */
export function refuseOtherModel(wanted: string, user: User, { model }: Pick<Config, 'model'>): void {
  const known = [model, model?.fallback].flatMap((one) =>
    one === undefined ? [] : [`${one.provider}/${one.name}`, one.name],
  );
  if (mayAct(user, 'admin') || known.includes(wanted)) return;
  throw new DandoriError('forbidden', `Only an admin may choose a model that is not configured: ${wanted}.`, {
    fix: known.length === 0 ? 'Leave it out.' : `Choose ${known.join(', ')}.`,
  });
}
