import { deploymentWarnings } from '../../app/index.ts';
import { printable } from '../style.ts';
import type { Texts } from '../texts.ts';

/** A line for each thing that goes wrong only with several processes. */
export async function deploymentLines(
  deployed: Parameters<typeof deploymentWarnings>[0],
  { deployment: texts }: Texts,
): Promise<string[]> {
  const warnings = await deploymentWarnings(deployed);
  return warnings.map(({ kind, names }) => printable(texts[kind](names.join(', '))));
}
