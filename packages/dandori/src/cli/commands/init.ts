import { writeFile } from 'node:fs/promises';
import { CONFIG_TEMPLATE } from '../../config/index.ts';
import { DandoriError } from '../../model/error.ts';
import { asTyped } from '../command-line.ts';
import { textsFor } from '../texts.ts';

const FILE = 'dandori.yaml';

export async function init({ force }: { force?: boolean }): Promise<number> {
  try {
    await writeFile(FILE, CONFIG_TEMPLATE, { flag: force === true ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new DandoriError('usage', `${FILE} is there already.`, {
        fix: 'dandori init --force overwrites it.',
      });
    }
    throw new DandoriError('usage', `Cannot write ${FILE}: ${(error as Error).message}`, {
      fix: 'Go to a folder that you may write to.',
    });
  }
  process.stdout.write(`${asTyped(textsFor({}).written(FILE))}\n`);
  return 0;
}
