import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DandoriError } from '../model/error.ts';
import { stringifyJson } from '../model/json.ts';
import { asTyped } from './command-line.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { printable, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

export interface PrintOptions {
  readonly json: boolean;
  /** The `--config` that the user gave, for the commands that the message suggests. */
  readonly config: string | undefined;
  readonly language?: string | undefined;
}

/** Prints an error with its fix. Only a bug shows its stack. */
export function printError(error: unknown, { json, config, language }: PrintOptions): number {
  const style = styleFor(process.stderr);
  const texts = textsFor({ language });
  const say = (line: string) => process.stderr.write(`${line}\n`);
  if (!(error instanceof DandoriError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(texts.labelled(style.red(texts.bug), printable(text)));
    return 1;
  }
  const { code, message, fix, diagnostics } = error;
  if (json) process.stdout.write(`${stringifyJson({ error: { code, message, fix, diagnostics } })}\n`);
  const [said, help] = errorTexts(error, texts);
  say(`${style.red(`error[${code}]:`)} ${printable(said)}`);
  if (help !== undefined) say(texts.labelled(style.bold(texts.fix), printable(asTyped(help, config))));
  return EXIT_USAGE;
}

/** The message and the fix of an error, in the language of the texts, with paths of pages that the user has. */
export function errorTexts(
  error: DandoriError,
  texts: Texts,
): readonly [message: string, fix: string | undefined] {
  const [said, help] = translated(error, texts);
  return [withPages(said), help && withPages(help)];
}

function translated(
  { code, message, fix }: DandoriError,
  { language, message: translate, errors }: Texts,
): readonly [message: string, fix: string | undefined] {
  const said = translate(message);
  if (language === 'en') return [said, fix];
  const [what, generalFix] = errors[code];
  const help = fix === undefined ? generalFix : translate(fix);
  // A message that is not in the catalogue, such as that of an older server, gets the name of its error.
  return [said === message ? `${what}\n${message}` : said, help === fix ? (generalFix ?? help) : help];
}

/** In the published package, or in the repository. The order matters: the second folder may be one of the user. */
const DOCS = ['../../docs/', '../../../../docs/'];

/** Diagnostics name a page of the docs about errors. The user gets the path of the installed page. */
export function withPages(text: string): string {
  return text.replaceAll(/\bdocs\/(?=errors\/[a-z-]+\.md\b|ja\/errors\.md\b)/g, (whole) => {
    const folder = DOCS.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((docs) =>
      existsSync(`${docs}errors`),
    );
    if (folder === undefined) return whole;
    const near = relative(process.cwd(), folder);
    return near.startsWith('..') ? folder : `${near}/`;
  });
}
