import { valueAt } from '../documents/place.ts';
import type { Problem } from '../documents/problem.ts';
import { readTextFile } from '../documents/text-file.ts';
import { DandoriError } from '../model/error.ts';
import { resolvePath } from './environment.ts';

/** The instructions are part of every decision, so a long text would cost its tokens each time. */
const MAX_BYTES = 200_000;

/** Reads the user's own instructions. The value may still have any shape. */
export async function readInstructions(
  value: unknown,
  folder: string,
): Promise<{ text: string | undefined; problems: Problem[] }> {
  if (typeof value === 'string') return { text: value, problems: [] };
  const file = valueAt(value, ['file']);
  if (typeof file !== 'string' || file === '') return { text: undefined, problems: [] };
  const path = resolvePath(folder, file);
  try {
    const rules = {
      name: path,
      code: 'config-invalid',
      missing: 'config-not-found',
      maxBytes: MAX_BYTES,
    } as const;
    return { text: await readTextFile(path, rules), problems: [] };
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    const message = `instructions: ${error.message}`;
    const isMissing = error.code === 'config-not-found';
    const hint = isMissing ? `the path is relative to ${folder}` : error.fix;
    return { text: undefined, problems: [{ path: ['instructions', 'file'], at: 'value', message, hint }] };
  }
}
