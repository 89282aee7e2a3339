import { statSync } from 'node:fs';
import { join } from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import {
  type CheckedServer,
  checkModel,
  checkServers,
  type Examined,
  type Finding,
  type Runtime,
} from '../../app/index.ts';
import { type Config, loadConfig, lowestNode } from '../../config/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { asTyped } from '../command-line.ts';
import { errorTexts } from '../print-error.ts';
import { printable, type Style, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { findRun, openHere, openWorkplace, SERVER } from '../workplace.ts';
import { deploymentLines } from './deployment-warnings.ts';

const MOST_FINDINGS = 100;

export interface DoctorOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly repair?: boolean;
  readonly yes?: boolean;
}

/** Returns 0 if everything works, or everything was repaired, and 1 otherwise. */
export async function doctor(name: string | undefined, options: DoctorOptions): Promise<number> {
  const isWhole = name === undefined && options.repair !== true && (process.env[SERVER] ?? '') === '';
  const { checks, config, tools, tell } = isWhole ? await checkup(options) : NO_CHECKUP;
  const isBroken = checks.some(({ status }) => status === 'failed');
  // Without a configuration the store is unknown.
  if (checks.some(({ check, status }) => check === 'config' && status === 'failed')) {
    if (options.json === true) process.stdout.write(`${stringifyJson({ checks, findings: [] })}\n`);
    return 1;
  }
  const opening = { configFile: options.config, tools: false };
  await using here = options.repair === true ? await openHere('doctor --repair', opening) : undefined;
  await using dandori = here ?? (await openWorkplace(opening));
  const run = name === undefined ? undefined : await findRun(name, dandori);
  const texts = textsFor({ language: dandori.config.language });
  const style = styleFor(process.stdout);
  // Only a server has no dispatcher here, and then there is no checkup.
  if (config !== undefined) {
    const { dispatcher } = dandori as Runtime;
    for (const line of await deploymentLines({ config, tools, dispatcher }, texts))
      tell({ check: 'processes', name: texts.deployment.name, status: 'warning', detail: line });
  }
  const examined =
    here === undefined
      ? await dandori.doctor({ run })
      : await here.doctor({ run, repair: canAskToRepair(options) ? (found) => ask(found, texts) : true });
  if (options.json === true) {
    const findings = examined.findings.map((found) => ({
      ...found,
      fix: texts.doctored.kinds[found.kind][1],
    }));
    process.stdout.write(`${stringifyJson({ ...(isWhole && { checks }), ...examined, findings })}\n`);
  } else for (const line of doctorLines(examined, texts, style)) process.stdout.write(`${line}\n`);
  const left = examined.findings.filter(({ isRepaired }) => isRepaired !== true);
  if (options.json !== true && options.repair !== true && left.some(({ repair }) => repair !== undefined))
    process.stderr.write(`${asTyped(texts.doctored.howToRepair, options.config)}\n`);
  return left.length === 0 && !isBroken ? 0 : 1;
}

function canAskToRepair({ json, yes }: DoctorOptions): boolean {
  return json !== true && yes !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function ask(found: Finding, { doctored: texts, message }: Texts): Promise<boolean> {
  const [what, fix] = texts.kinds[found.kind];
  process.stderr.write(
    `${placeOf(found, texts)}\n  ${what}: ${printable(message(found.detail))}\n  ${fix}\n`,
  );
  const isWanted = await confirm({
    message: texts.confirm(what),
    active: texts.yes,
    inactive: texts.no,
    output: process.stderr,
    initialValue: false,
  });
  return !isCancel(isWanted) && isWanted;
}

function doctorLines(examined: Examined, texts: Texts, style: Style): string[] {
  const { findings, unseen = [], store } = examined;
  const { doctored, more, message } = texts;
  const notSeen = unseen.length === 0 ? [] : [style.yellow(doctored.unseen(unseen))];
  // Parts that were not checked are not reported as healthy.
  if (findings.length === 0 && unseen.length === 3) return notSeen;
  const looked = store === undefined ? [] : [style.dim(doctored.looked(store))];
  if (findings.length === 0) return [...looked, style.green(doctored.healthy(examined)), ...notSeen];
  return [
    ...looked,
    ...notSeen,
    doctored.found(findings.length),
    ...findings
      .slice(0, MOST_FINDINGS)
      .flatMap((found) => findingLines({ ...found, detail: message(found.detail) }, doctored, style)),
    ...(findings.length > MOST_FINDINGS ? [more(findings.length - MOST_FINDINGS)] : []),
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

type CheckKind = 'node' | 'config' | 'variables' | 'model' | 'server' | 'processes';

interface Check {
  readonly check: CheckKind;
  /** What is checked, such as the name of a server. */
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to do. */
  readonly fix?: string;
  readonly ms?: number;
}

interface Checkup {
  readonly checks: readonly Check[];
  readonly config: Config | undefined;
  /** The tools of the servers that are connected. */
  readonly tools: CheckedServer['tools'];
  readonly tell: (check: Check) => void;
}

const NO_CHECKUP: Checkup = { checks: [], config: undefined, tools: [], tell: () => {} };

/** Checks everything except the store: Node, the configuration, the model and its key, and each server. */
async function checkup(options: DoctorOptions): Promise<Checkup> {
  const checks: Check[] = [];
  const style = styleFor(process.stdout);
  const tell = (check: Check) => {
    checks.push(check);
    if (options.json === true) return;
    const mark = { ok: style.green('✓'), warning: style.yellow('!'), failed: style.red('✗') }[check.status];
    process.stdout.write(`${mark} ${style.bold(printable(check.name))}: ${printable(check.detail)}\n`);
    if (check.fix !== undefined)
      process.stdout.write(`    ${printable(asTyped(check.fix, options.config))}\n`);
  };
  const first = textsFor({});
  tell(nodeCheck(first));
  const config = await loadConfig({ file: options.config }).catch((error: unknown) => {
    if (!(error instanceof DandoriError)) throw error;
    const [detail, fix] = errorTexts(error, first);
    tell({
      check: 'config',
      name: first.checkup.config,
      status: 'failed',
      detail,
      ...(fix !== undefined && { fix }),
    });
  });
  if (config === undefined) return { checks, config: undefined, tools: [], tell };
  const texts = textsFor({ language: config.language });
  const { checkup: words } = texts;
  tell({ check: 'config', name: words.config, status: 'ok', detail: config.file ?? words.noFile });
  const loose = looseEnvFile(config.folder, texts);
  if (loose !== undefined) tell(loose);
  for (const check of await modelChecks(config, texts)) tell(check);
  const servers = await checkServers(config);
  for (const { name, ms, tools, problem, wantsLogin } of servers)
    tell({
      check: 'server',
      name,
      status: problem === undefined ? 'ok' : 'failed',
      detail: problem === undefined ? words.connected(tools.length, seconds(ms)) : texts.message(problem),
      ...(problem !== undefined && {
        fix: words.fixServer[wantsLogin ? 'login' : (config.mcpServers[name]?.transport ?? 'stdio')](name),
      }),
      ms,
    });
  if (Object.keys(config.mcpServers).length === 0)
    tell({
      check: 'server',
      name: words.servers,
      status: 'warning',
      detail: words.noServers,
      fix: words.addServer,
    });
  return { checks, config, tools: servers.flatMap((server) => server.tools), tell };
}

function nodeCheck({ checkup: words }: Texts): Check {
  const lowest = lowestNode();
  const isEnough = compareVersions(process.versions.node, lowest) >= 0;
  return {
    check: 'node',
    name: 'Node',
    status: isEnough ? 'ok' : 'failed',
    detail: process.versions.node,
    ...(!isEnough && { fix: words.fixNode(lowest) }),
  };
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number));
  const at = a?.findIndex((part, index) => part !== (b?.[index] ?? part)) ?? -1;
  return at < 0 ? 0 : (a?.[at] ?? 0) - (b?.[at] ?? 0);
}

async function modelChecks({ model }: Config, { checkup: words, message }: Texts): Promise<Check[]> {
  if (model === undefined)
    return [
      { check: 'model', name: words.model, status: 'warning', detail: words.noModel, fix: words.setModel },
    ];
  const { fallback, ...first } = model;
  const checked = [
    await checkModel(first),
    ...(fallback === undefined ? [] : [await checkModel(fallback, 'model.fallback')]),
  ];
  return checked.map(({ name, ms, problem }) => ({
    check: 'model',
    name,
    status: problem === undefined ? 'ok' : 'failed',
    detail: problem === undefined ? words.answered(seconds(ms)) : message(problem),
    ...(problem !== undefined && { fix: words.fixModel }),
    ms,
  }));
}

/** Other users of this machine could read the keys. */
function looseEnvFile(folder: string, { checkup: words }: Texts): Check | undefined {
  const mode = statSync(join(folder, '.env'), { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return undefined;
  return {
    check: 'variables',
    name: '.env',
    status: 'warning',
    detail: words.looseEnv,
    fix: 'chmod 600 .env',
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
