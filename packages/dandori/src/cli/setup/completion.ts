import type { Command, Option } from 'commander';
import { DandoriError } from '../../model/error.ts';
import { createProgram } from '../program.ts';

const SHELLS = { bash, zsh, fish } as const;

/** Prints the completion script of a shell, made from the definitions of the commands. */
export async function completion(shell: string): Promise<number> {
  if (!Object.hasOwn(SHELLS, shell))
    throw new DandoriError('usage', `There is no completion for ${shell}.`, {
      fix: `Choose from ${Object.keys(SHELLS).join(', ')}.`,
    });
  process.stdout.write(SHELLS[shell as keyof typeof SHELLS](visible()));
  return 0;
}

interface Known {
  readonly name: string;
  readonly about: string;
  readonly options: readonly Option[];
}

function visible(): Known[] {
  const program = createProgram();
  const shown = program.createHelp().visibleCommands(program);
  return shown.map((command: Command) => ({
    name: command.name(),
    about: command.description(),
    options: [...command.options, ...program.options].filter(
      ({ hidden, long }) => !hidden && long !== undefined,
    ),
  }));
}

/** Options with a fixed list of values. */
function choices(known: readonly Known[]): Map<string, readonly string[]> {
  return new Map(
    known
      .flatMap(({ options }) => options)
      .flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices] as const] : [])),
  );
}

function bash(known: readonly Known[]): string {
  const words = (options: readonly Option[]) => options.map(({ long }) => long).join(' ');
  return `# dandori completion bash >> ~/.bashrc
_dandori() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${known.map(({ name }) => name).join(' ')}" -- "$cur"))
    return
  fi
  case "$prev" in
${[...choices(known)].map(([long, values]) => `    ${long}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$cur")); return ;;`).join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${known.map(({ name, options }) => `    ${name}) words="${words(options)}" ;;`).join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
complete -o default -F _dandori dandori
`;
}

function zsh(known: readonly Known[]): string {
  const plain = (text: string) => text.replaceAll(/[[\]'"\\`$:]/g, '');
  const option = ({ long, required, optional, argChoices, description }: Option) => {
    const value = argChoices
      ? `:value:(${argChoices.join(' ')})`
      : required || optional
        ? ':value:_files'
        : '';
    return `'*${long}[${plain(description)}]${value}'`;
  };
  return `#compdef dandori
_dandori() {
  local -a commands
  commands=(
${known.map(({ name, about }) => `    '${name}:${plain(about)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${known.map(({ name, options }) => `    ${name}) _arguments ${options.map(option).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
compdef _dandori dandori
`;
}

function fish(known: readonly Known[]): string {
  const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
  const lines = known.flatMap(({ name, about, options }) => [
    `complete -c dandori -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
    ...options.map(({ long, required, argChoices, description }) => {
      const value = argChoices ? ` -xa ${quoted(argChoices.join(' '))}` : required ? ' -r' : '';
      return `complete -c dandori -n '__fish_seen_subcommand_from ${name}' -l ${long?.slice(2)}${value} -d ${quoted(description)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}
