import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DandoriError } from '../../src/model/error.ts';
import { unwritable } from '../../src/store/files/disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'dandori-'));
const path = join(folder, 'run.jsonl');

function fixOf(file: string, code: string): string | undefined {
  try {
    return unwritable(file, Object.assign(new Error(code), { code }));
  } catch (error) {
    return error instanceof DandoriError ? error.fix : undefined;
  }
}

describe('a journal that cannot be written', () => {
  it('does not say to resume if there is no run yet', () => {
    expect(fixOf(path, 'ENOSPC')).toBe(
      'The disk is full: make space, then start the run again: it was not saved.',
    );
    expect(fixOf(path, 'EIO')).not.toContain('resume');
  });

  it('says to resume the run if there is one', () => {
    writeFileSync(path, '');
    expect(fixOf(path, 'ENOSPC')).toBe('The disk is full: make space, then `dandori resume` the run.');
    expect(fixOf(join(folder, 'blobs', 'ab', 'abcd.json'), 'EIO')).toContain('`dandori resume`');
  });
});
