import type { Effect } from '../../../model/tool.ts';
import { countOf } from './words.ts';

/** Texts of `dandori add`, `remove`, `list` and `init`. */
export const setup = {
  env: {
    loaded: (names: readonly string[]) => `From .env: ${names.join(', ')}`,
    refused: (names: readonly string[]) => `.env may not set ${names.join(', ')}. Set it in your shell.`,
  },
  servers: {
    connecting: (names: readonly string[]) => `Connecting to ${names.join(', ')}…`,
    connected: (name: string, seconds: string, tools: number) =>
      `${name}: connected in ${seconds} s, ${countOf(tools, 'tool')}`,
    failed: (name: string) => `${name}: no connection`,
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
    created: (file: string) => `Created ${file}.`,
    left: (names: readonly string[]) =>
      `Not added, because they did not connect: ${names.join(', ')}. With --no-check they are added anyway.`,
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
