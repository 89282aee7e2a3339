import { stringifyJson } from '../../model/json.ts';
import { toolTrust } from '../../views/trust-report.ts';
import { warnAboutTools } from '../announce.ts';
import { effectCell, oneLine, printable, styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';
import { openWorkplace } from '../workplace.ts';
import { printToolTrust } from './trust.ts';

export async function tools(options: { config?: string; json?: boolean; trust?: boolean }): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config });
  const found = [...dandori.tools().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (options.trust === true) {
    const { trust } = dandori.config.settings;
    const about = toolTrust(found, trust);
    if (options.json === true)
      process.stdout.write(`${stringifyJson({ policy: trust?.policy ?? 'off', tools: about })}\n`);
    else printToolTrust(about, textsFor({ language: dandori.config.language }));
    return 0;
  }
  if (options.json === true) {
    process.stdout.write(`${stringifyJson({ tools: found, missing: dandori.missing() })}\n`);
    return 0;
  }
  const style = styleFor(process.stdout);
  const texts = textsFor({ language: dandori.config.language });
  warnAboutTools(dandori, texts);
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  if (found.length === 0) process.stdout.write(`${texts.noTools}\n`);
  for (const { name, effect, title, description } of found) {
    const about = oneLine(description || (title ?? ''), 80);
    process.stdout.write(
      `${style.bold(printable(name).padEnd(width))}  ${effectCell(effect, texts.words.effects, style)}  ${about}\n`,
    );
  }
  for (const { server, reason } of dandori.missing()) {
    process.stdout.write(`${style.yellow('!')} ${texts.serverMissing(server)}: ${printable(reason)}\n`);
  }
  return 0;
}
