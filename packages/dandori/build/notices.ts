import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `…/node_modules/NAME` of a file, the innermost where they are nested. */
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const LICENCE = /^(licen[cs]e|notice|copying)/i;

/** Whose code the bundle holds, in which version, and under which licence: nobody sees it in the dependencies any more. */
export function writeNotices(files: readonly string[], target: string): void {
  const folders = files.flatMap((file) => PACKAGE.exec(file.replaceAll('\\', '/'))?.[1] ?? []);
  const notices = [...new Set(folders)].map(noticeOf).toSorted();
  writeFileSync(target, notices.join(`\n${'-'.repeat(80)}\n\n`));
}

function noticeOf(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(text) as Record<'name' | 'version' | 'license', string>;
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
  return [`${name} ${version} (${license})`, ...texts].join('\n\n').concat('\n');
}
