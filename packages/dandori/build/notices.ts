import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The `…/node_modules/NAME` part of a path: the innermost, if packages are nested. */
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const LICENCE = /^(licen[cs]e|notice|copying)/i;

/**
 * Writes the name, version and licence of each bundled package. Bundled packages no longer appear as
 * dependencies.
 */
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
