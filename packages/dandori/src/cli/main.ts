import { CommanderError } from 'commander';
import { asTyped, configIn, takeHints } from './command-line.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { chosenLanguage, systemLanguage, takeLanguage } from './language.ts';
import { createProgram } from './program.ts';

/** Runs one command line and returns its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  takeLanguage(argv, process.env);
  const program = createProgram((code) => {
    exitCode = code;
  });
  takeHints(program);
  program.showHelpAfterError(asTyped('(All commands: dandori --help)'));
  const language = chosenLanguage(process.env) ?? systemLanguage(process.env);
  if (language === 'ja') (await import('./translate-help.ts')).translateHelp(program);
  try {
    await program.parseAsync(argv.length === 0 ? ['menu'] : withNewName(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    const { printError } = await import('./print-error.ts');
    return printError(error, { json: argv.includes('--json'), config: configIn(argv) });
  }
}

const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = {
  lift: ['save-plan'],
  record: ['save-test'],
  tell: ['note'],
  replay: ['verify'],
};

/** Old command names keep working, but `--help` does not list them. */
function withNewName([first = '', ...rest]: readonly string[]): string[] {
  const name = Object.hasOwn(FORMER_NAMES, first) ? FORMER_NAMES[first] : undefined;
  return [...(name ?? [first]), ...rest];
}
