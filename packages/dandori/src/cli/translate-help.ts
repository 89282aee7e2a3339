import type { Command, Help } from 'commander';
import { messages } from '../views/texts/ja/messages/index.ts';
import { createTranslate } from '../views/texts/translate.ts';

const translate = createTranslate(messages);

/** Shows the help and the errors of the command line in Japanese. Loaded only then, so that help stays fast. */
export function translateHelp(program: Command): void {
  const described: Partial<Help> = {
    styleTitle: translate,
    styleCommandDescription: translate,
    styleSubcommandDescription: translate,
    styleOptionDescription: translate,
    styleArgumentDescription: translate,
  };
  for (const command of [program, ...program.commands]) {
    command.configureHelp({ ...command.configureHelp(), ...described });
    command.configureOutput({
      writeOut: (text) => void process.stdout.write(lines(text)),
      writeErr: (text) => void process.stderr.write(lines(text)),
    });
  }
}

/** Texts around the help, and errors, come as whole lines. */
function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : translate(line)))
    .join('\n');
}
