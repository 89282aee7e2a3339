import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What is published is JavaScript; the prompts are Markdown and go along as they are. */
const here = import.meta.dirname;
const compiler = join(dirname(import.meta.resolve('typescript/package.json').replace('file://', '')), 'bin/tsc');

for (const name of ['servers', 'dandori']) {
  const folder = join(here, '..', name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' });
}
const prompts = 'mind/prompts';
cpSync(join(here, 'src', prompts), join(here, 'dist', prompts), {
  recursive: true,
  filter: (source) => !source.endsWith('.ts'),
});
