import { DandoriError } from '../model/error.ts';
import { SERVER } from './open.ts';

const COMMAND =
  /\bdandori (answer|approve|cancel|chat|check|diff|doctor|fork|init|log|note|pause|prune|questions|rate|reject|resume|run|runs|save-plan|save-test|serve|show|stats|token|tools|verify|--help)(?![\w-])/g;
const WITHOUT_CONFIG = ['init', 'token', '--help'];
const HERE_ONLY = [...WITHOUT_CONFIG, 'chat', 'check', 'prune', 'serve'];

/**
 * A text whose commands can be typed as they stand: by the name under which the user started this one, and with the
 * configuration and the server that they gave. A run is found only where that says.
 */
export function asTyped(text: string, config?: string): string {
  return text.replaceAll(COMMAND, (_whole, command: string) => {
    const isPlain = config === undefined || WITHOUT_CONFIG.includes(command);
    const server = HERE_ONLY.includes(command) ? '' : (process.env[SERVER] ?? '');
    const place = server === '' ? '' : ` --server ${quoted(server)}`;
    return `${commandName(process.env)} ${command}${isPlain ? '' : ` --config ${quoted(config)}`}${place}`;
  });
}

/** npm tells a script that it starts who it is; a `start` of somebody else's package is theirs and takes no goal. */
function commandName({ npm_lifecycle_event: script, npm_package_name: name }: NodeJS.ProcessEnv): string {
  if (script === undefined) return 'dandori';
  return script === 'start' && name === 'dandori-workspace' ? 'npm start --' : 'npx dandori';
}

/** The configuration of a command line that could not be carried out, and so was not parsed to its end. */
export function configIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => /^--config(=|$)/.test(word));
  const [, file] = argv[at]?.split(/=(.*)/s) ?? [];
  return at < 0 ? undefined : (file ?? argv[at + 1]);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The number of an event, as it is typed behind an option. */
export function eventNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new DandoriError('usage', `${option} takes the number of an event, not "${text}".`, {
    fix: '`dandori log` shows the number of each event first.',
  });
}
