import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface Written {
  bytes: number;
  syncs: number;
}

/**
 * Counts what this process writes to files, and how often it syncs one, from now on. It replaces functions of `node:fs`,
 * so what is measured must be loaded later. If a caller writes with a function that is not replaced here, the files are larger
 * than `bytes`.
 */
export async function countWrites(): Promise<Written> {
  const written: Written = { bytes: 0, syncs: 0 };
  const replace = (owner: object, names: readonly string[], count: (args: readonly unknown[]) => void) => {
    const functions = owner as Record<string, (...args: unknown[]) => unknown>;
    // `writeFileSync` calls `writeSync`.
    let isWithin = false;
    for (const name of names) {
      const original = functions[name];
      functions[name] = function (this: unknown, ...args) {
        if (isWithin) return original?.apply(this, args);
        count(args);
        isWithin = true;
        try {
          return original?.apply(this, args);
        } finally {
          isWithin = false;
        }
      };
    }
  };
  const countSync = () => void written.syncs++;
  /** The second argument is a text or a buffer. Of a buffer, the fourth one may give a shorter length. */
  const countBytes = ([, data, , length]: readonly unknown[]) => {
    written.bytes += typeof length === 'number' ? length : Buffer.byteLength(data as string);
  };
  const handle = await fs.promises.open(import.meta.filename);
  const handles = Object.getPrototypeOf(handle) as object;
  await handle.close();
  replace(fs, ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync'], countSync);
  replace(handles, ['sync', 'datasync'], countSync);
  replace(fs, ['write', 'writeSync', 'writeFileSync', 'appendFileSync'], countBytes);
  replace(fs.promises, ['writeFile', 'appendFile'], countBytes);
  replace(handles, ['write', 'writeFile', 'appendFile'], (args) => countBytes([handle, ...args]));
  syncBuiltinESMExports();
  return written;
}
