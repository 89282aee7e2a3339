import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { printable, styleFor } from './style.ts';
import { textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export interface Complaining {
  readonly json: boolean;
  /** As the user gave it, for the commands that help. */
  readonly config: string | undefined;
}

/** Tells an error so that the reader knows what to do. A bug shows its stack; everything else does not need one. */
export function complain(error: unknown, { json, config }: Complaining): number {
  const style = styleFor(process.stderr);
  if (!(error instanceof DandoriError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${style.red(`${textsFor({}).bug}:`)} ${printable(text)}\n`);
    return 1;
  }
  const { code, message, fix, diagnostics } = error;
  if (json) process.stdout.write(`${stringifyJson({ error: { code, message, fix, diagnostics } })}\n`);
  process.stderr.write(`${style.red(`error[${code}]:`)} ${printable(message)}\n`);
  if (fix !== undefined)
    process.stderr.write(`${style.bold(`${textsFor({}).fix}:`)} ${printable(asTyped(fix, config))}\n`);
  return EXIT_USAGE;
}
