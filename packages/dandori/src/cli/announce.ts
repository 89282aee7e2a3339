import type { TornTail } from '../app/index.ts';
import { loadEnvFile, type UserConfigWarning } from '../config/index.ts';
import { nearest } from '../model/text.ts';
import { type Tool, unseenServers } from '../model/tool.ts';
import { asTyped } from './command-line.ts';
import { printable, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';
import type { Workplace } from './workplace.ts';

/** Warns about errors in the configuration that show only after the tool servers have listed their tools. */
export function warnAboutServers(dandori: Workplace, texts: Texts): void {
  for (const { server, reason } of dandori.missing())
    warn(`${texts.serverMissing(server)}: ${texts.message(reason)}`);
  warnAboutTools(dandori, texts);
}

/**
 * A wrong tool name in `effects` leaves the intended tool with its default effect, so the user is warned. So is a user
 * who has not seen what a server now says about its tools.
 */
export function warnAboutTools(dandori: Workplace, texts: Texts): void {
  const known = dandori.tools();
  for (const server of unseenServers(known))
    if (dandori.config.mcpServers[server]?.descriptions !== 'external') warn(asTyped(texts.unseen(server)));
  for (const name of unknownTools(dandori)) warn(texts.effectUnknown(name, nearest(name, known.keys())));
  for (const { name, probe } of unfitProbes(dandori)) warn(texts.probeUnfit(name, probe, known.has(probe)));
}

/** The tools of a missing or disabled server are unknown, so their names are not reported. */
function unknownTools(dandori: Workplace): string[] {
  const known = dandori.tools();
  return Object.keys(dandori.config.effects).filter(
    (name) => !isKnown(name, known) && !isSilent(name, dandori),
  );
}

function isSilent(name: string, { config: { disabledServers }, missing }: Workplace): boolean {
  const silent = [...disabledServers, ...missing().map(({ server }) => server)];
  return silent.some((server) => name.startsWith(`${server}.`));
}

/** Reported now, because otherwise the error would show only when the outcome of a call is in doubt. */
function unfitProbes(dandori: Workplace): { name: string; probe: string }[] {
  const known = dandori.tools();
  return Object.entries(dandori.config.effects).flatMap(([name, { probe }]) => {
    if (probe === undefined || isSilent(probe.tool, dandori)) return [];
    return known.get(probe.tool)?.effect === 'read' ? [] : [{ name, probe: probe.tool }];
  });
}

/** `letters.*` means all tools of a service. */
function isKnown(name: string, known: ReadonlyMap<string, Tool>): boolean {
  if (!name.endsWith('.*')) return known.has(name);
  return known.values().some(({ server }) => `${server}.*` === name);
}

/** The run starts with settings other than the user's own, so the user must be told. */
export function warnAboutUserConfig({ userId, problem, detail }: UserConfigWarning, texts: Texts): void {
  const { refused, withoutIt } = texts.userConfig;
  const said = texts.message(detail);
  warn(problem === 'refused' ? refused(userId, said) : withoutIt(userId, said));
}

export function announceTorn({ bytes }: TornTail, texts: Texts): void {
  warn(texts.torn(bytes));
}

export function announceUntraced(detail: string, texts: Texts): void {
  warn(texts.serving.untraced(detail));
}

/** Sets the variables of `.env`, and says which. */
export function loadVariables(folder: string, isQuiet: boolean): void {
  const { loaded, refused } = loadEnvFile(folder, process.env);
  const { env } = textsFor({});
  if (refused.length > 0) warn(env.refused(refused));
  if (loaded.length > 0 && !isQuiet)
    process.stderr.write(`${styleFor(process.stderr).dim(env.loaded(loaded))}\n`);
}

function warn(text: string): void {
  process.stderr.write(`${styleFor(process.stderr).yellow('!')} ${printable(text)}\n`);
}
