import { writeFile } from 'node:fs/promises';
import { CONFIG_TEMPLATE } from '../../config/index.ts';
import { DandoriError } from '../../model/error.ts';
import { asTyped } from '../command-line.ts';
import { type Texts, textsFor } from '../texts.ts';

const FILE = 'dandori.yaml';

/** How a new file begins. */
export const FILE_START = '# yaml-language-server: $schema=./node_modules/dandori/dandori.schema.json\n';

export async function init({ force }: { force?: boolean }): Promise<number> {
  try {
    const texts = textsFor({});
    await writeFile(FILE, templateIn(texts), { flag: force === true ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new DandoriError('usage', `${FILE} already exists.`, {
        fix: 'dandori init --force overwrites it.',
      });
    }
    throw new DandoriError('usage', `Cannot write ${FILE}: ${(error as Error).message}`, {
      fix: 'Use a folder that you can write to.',
    });
  }
  process.stdout.write(`${asTyped(textsFor({}).written(FILE))}\n`);
  return 0;
}

/** Only comments are translated, so that the file means the same in every language. */
export function templateIn({ message }: Pick<Texts, 'message'>): string {
  return CONFIG_TEMPLATE.split('\n')
    .map((line) => {
      const [, before = '', comment = ''] = /^(# |.*?\S\s+# )(?!\s)(.+)$/.exec(line) ?? [];
      const translated = message(comment);
      if (translated !== comment) return `${before}${translated}`;
      const [, code = '', last = ''] = /^(.*\S\s+# )(.+)$/.exec(line) ?? [];
      return last === '' ? line : `${code}${message(last)}`;
    })
    .join('\n');
}
