import type { Effect } from '../../../model/tool.ts';
import { countOf, labels } from './labels.ts';

/** Texts of `dandori add`, `remove`, `list` and `init`. */
export const setup = {
  env: {
    loaded: (names: readonly string[]) => `From .env: ${names.join(', ')}`,
    refused: (names: readonly string[]) => `.env may not set ${names.join(', ')}. Set it in your shell.`,
  },
  init: {
    whichModel: 'Which model decides?',
    providers: {
      openai: 'OpenAI',
      anthropic: 'Anthropic',
      google: 'Google',
      ollama: 'Ollama (on this machine)',
      'openai-compatible': 'Another OpenAI-compatible server',
    },
    noModel: 'None: the built-in planner, for simple goals',
    whichAddress: 'Its address',
    whichName: 'Name of the model',
    whichKey: (variable: string) => `API key (stored in .env as ${variable}; leave empty to set it later)`,
    notGood: 'The model did not answer.',
    anotherKey: 'Enter another key',
    keepIt: 'Continue anyway',
    whichServers: 'Which tools? (space selects, Enter continues)',
    demo: (names: readonly string[]) => `Demo servers: ${names.join(', ')}`,
    files: 'Files in this folder',
    hosts: { claude: 'Claude', vscode: 'VS Code', cursor: 'Cursor' },
    from: (source: string, names: readonly string[]) =>
      names.length === 0 ? `From ${source}` : `From ${source}: ${names.join(', ')}`,
  },
  login: {
    open: (name: string) => `Log in to ${name} in a browser:`,
    code: (code: string) => `Enter this code there: ${code}`,
    done: (name: string) => `Logged in to ${name}.`,
    out: (name: string) => `Logged out of ${name}.`,
    none: (name: string) => `There is no login to ${name}.`,
  },
  checkup: {
    config: 'Configuration',
    noFile: 'no dandori.yaml; the defaults apply',
    model: labels.model,
    noModel: 'none; the built-in planner knows simple goals only',
    setModel: 'Set one:  dandori init   or   dandori run --model openai/gpt-5-mini "…"',
    answered: (seconds: string) => `answered in ${seconds} s`,
    fixModel: 'List the models:  dandori models',
    servers: 'Servers',
    noServers: 'none configured',
    addServer: 'Add one:  dandori add NAME -- COMMAND…',
    connected: (tools: number, seconds: string) => `${countOf(tools, 'tool')} in ${seconds} s`,
    fixServer: {
      login: (name: string) => `Log in:  dandori login ${name}`,
      http: (name: string) =>
        `Check the address and the headers of ${name}, or remove it:  dandori remove ${name}`,
      stdio: (name: string) =>
        `Run the command of ${name} in a terminal to see why, or remove it:  dandori remove ${name}`,
    },
    fixNode: (lowest: string) => `Install Node ${lowest} or later.`,
    looseEnv: 'other users of this machine can read it',
  },
  models: {
    none: (provider: string) => `${provider} offers no models.`,
    use: (provider: string, name: string) => `Use one:  dandori run --model ${provider}/${name} "…"`,
  },
  servers: {
    connecting: (names: readonly string[]) => `Connecting to ${names.join(', ')}…`,
    connected: (name: string, seconds: string, tools: number) =>
      `${name}: connected in ${seconds} s, ${countOf(tools, 'tool')}`,
    failed: (name: string) => `${name}: no connection`,
    runIt: (command: string) => `  To see more, run it yourself:  ${command}`,
    /** What the effect of a tool was inferred from. */
    from: {
      readOnlyHint: 'readOnlyHint',
      destructiveHint: 'destructiveHint',
      idempotentHint: 'idempotentHint',
      idempotency_key: 'takes an idempotency key',
      other_hints: 'says that it changes something',
      none: 'no hint, so a write',
      config: 'configured',
    } as Readonly<Record<string, string>>,
    proposals: (count: number) => `${countOf(count, 'tool')} without a hint. Proposed by name; check them:`,
    takeProposals: 'Write these effects to the file?',
    yes: 'Write them',
    no: 'Leave them as writes',
    howToTake: (file: string) => `To write them to ${file}: repeat the command with --yes.`,
    noPlace: (file: string) => `${file} has no place for effects. Put them in a dandori.yaml.`,
    wroteEffects: (count: number) => `Wrote ${countOf(count, 'effect')}.`,
    added: (names: readonly string[], file: string) => `Added ${names.join(', ')} to ${file}.`,
    replaced: (names: readonly string[], file: string) => `Replaced ${names.join(', ')} in ${file}.`,
    unchanged: (names: readonly string[], file: string) => `${names.join(', ')}: already in ${file}.`,
    remembered: (names: readonly string[]) =>
      `Remembered what ${names.join(', ')} says about its tools. If it changes, it counts as external content.`,
    like: 'reads like an instruction:',
    created: (file: string) => `Created ${file}.`,
    left: (names: readonly string[]) =>
      `Not added, because they did not connect: ${names.join(', ')}. With --no-check they are added anyway.`,
    howToLogIn: 'To log in while adding a server: repeat the command with --login.',
    noDemo: 'The demo servers are no longer used.',
    renamed: (from: string, to: string) => `"${from}" is now called ${to}.`,
    ignored: (name: string, keys: readonly string[]) => `${name}: ignored ${keys.join(', ')}.`,
    secrets: (names: readonly string[]) =>
      `Secrets are in .env, not in the file: ${names.join(', ')}. Only you can read .env.`,
    notIgnored: 'Add .env to .gitignore, so that it is not committed.',
    value: (variable: string) => `Value of ${variable}`,
    next: 'Next:  dandori run "…"   or   dandori tools',
    removed: (names: readonly string[], file: string) => `Removed ${names.join(', ')} from ${file}.`,
    removedEffects: (count: number) => `Removed ${countOf(count, 'effect')} of their tools.`,
    none: 'No servers. Add one:  dandori add NAME -- COMMAND…   or   dandori add NAME URL',
    demo: (names: readonly string[]) =>
      `No servers are configured, so the demo servers are used: ${names.join(', ')}. Add one:  dandori add NAME -- COMMAND…`,
    disabled: 'disabled',
    shipped: (name: string) => `${name} of Dandori`,
    becomes: (effect: Effect) => `→ ${effect}`,
  },
};
