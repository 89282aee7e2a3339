import type { Telemetry } from '../adapters/telemetry/telemetry.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import type { Journal } from '../ports/journal.ts';

/** Undefined where nobody is to be told. */
export async function openTelemetry(
  { telemetry }: Config,
  {
    journal,
    onUntraced,
  }: {
    readonly journal: Pick<Journal, 'read'>;
    readonly onUntraced?: ((detail: string) => void) | undefined;
  },
): Promise<Telemetry | undefined> {
  if (telemetry === undefined) return undefined;
  const { createTelemetry } = await import('../adapters/telemetry/telemetry.ts');
  return createTelemetry({
    ...telemetry,
    version: version(),
    journal,
    ...(onUntraced !== undefined && { onTrouble: onUntraced }),
  });
}
