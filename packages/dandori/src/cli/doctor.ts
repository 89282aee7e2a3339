import { confirm, isCancel } from '@clack/prompts';
import type { Examined, Finding } from '../dandori.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { printable, type Style, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

const MAX_SHOWN = 100;

export interface DoctorOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly repair?: boolean;
  readonly yes?: boolean;
}

/** 0 where all is well, or was mended; 1 where something is left. */
export async function doctor(name: string | undefined, options: DoctorOptions): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = name === undefined ? undefined : await findRun(name, dandori);
  const texts = textsFor({ language: dandori.config.language });
  const style = styleFor(process.stdout);
  const examined = await dandori.doctor({
    ...(run !== undefined && { run }),
    ...(options.repair === true && { repair: canAsk(options) ? (found) => ask(found, texts) : true }),
  });
  if (options.json === true) {
    const findings = examined.findings.map((found) => ({
      ...found,
      fix: texts.doctored.kinds[found.kind][1],
    }));
    process.stdout.write(`${stringifyJson({ ...examined, findings })}\n`);
  } else for (const line of linesOf(examined, texts, style)) process.stdout.write(`${line}\n`);
  const left = examined.findings.filter(({ isRepaired }) => isRepaired !== true);
  if (options.json !== true && options.repair !== true && left.some(({ repair }) => repair !== undefined))
    process.stderr.write(`${asTyped(texts.doctored.howToRepair, options.config)}\n`);
  return left.length === 0 ? 0 : 1;
}

function canAsk({ json, yes }: DoctorOptions): boolean {
  return json !== true && yes !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function ask(found: Finding, { doctored: texts }: Texts): Promise<boolean> {
  const [what, fix] = texts.kinds[found.kind];
  process.stderr.write(`${placeOf(found, texts)}\n  ${what}: ${printable(found.detail)}\n  ${fix}\n`);
  const isWanted = await confirm({
    message: texts.confirm(what),
    active: texts.yes,
    inactive: texts.no,
    output: process.stderr,
    initialValue: false,
  });
  return !isCancel(isWanted) && isWanted;
}

function linesOf(examined: Examined, texts: Texts, style: Style): string[] {
  const { findings, unseen = [] } = examined;
  const { doctored, more } = texts;
  const notSeen = unseen.length === 0 ? [] : [style.yellow(doctored.unseen(unseen))];
  // What was not looked at is not called healthy.
  if (findings.length === 0 && unseen.length === 3) return notSeen;
  if (findings.length === 0) return [style.green(doctored.healthy(examined)), ...notSeen];
  return [
    ...notSeen,
    doctored.found(findings.length),
    ...findings.slice(0, MAX_SHOWN).flatMap((found) => findingLines(found, doctored, style)),
    ...(findings.length > MAX_SHOWN ? [more(findings.length - MAX_SHOWN)] : []),
  ];
}

function findingLines(found: Finding, texts: Texts['doctored'], style: Style): string[] {
  const [what, fix] = texts.kinds[found.kind];
  const mark = found.isRepaired === true ? style.green('✓') : style.red('✗');
  return [
    `${mark} ${style.bold(`[${found.kind}]`)} ${placeOf(found, texts)}`,
    `    ${what}: ${printable(found.detail)}`,
    `    ${found.isRepaired === true ? texts.repaired : fix}`,
  ];
}

function placeOf({ file, line, offset }: Finding, texts: Texts['doctored']): string {
  return line === undefined ? file : `${file}: ${texts.place(line, offset)}`;
}
