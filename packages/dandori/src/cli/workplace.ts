import type { OpenOptions, RunClient, Runtime } from '../app/index.ts';
import { DandoriError, runNotFound } from '../model/error.ts';

/** The runs that a command works on, local or on a server, and the configuration of this folder. */
export interface Workplace extends RunClient, Pick<Runtime, 'config' | 'mindName'> {
  /** Undefined for a server, which drives its runs itself. */
  readonly dispatcher?: Pick<Runtime['dispatcher'], 'driven'>;
}

/** The status to show: an open run that no process drives is interrupted. */
export async function shownStatus<Status extends string>(
  { run, status }: { readonly run: string; readonly status: Status },
  { dispatcher }: Pick<Workplace, 'dispatcher'>,
): Promise<Status | 'interrupted'> {
  if (status !== 'open') return status;
  const driven = await dispatcher?.driven?.([run]);
  return driven === undefined || driven.has(run) ? status : 'interrupted';
}

/** The only place that knows whether a command works locally or on a server. */
export async function openWorkplace(options: OpenOptions): Promise<Workplace> {
  const { [SERVER]: server = '', [TOKEN]: token = '' } = process.env;
  if (server === '') return openRuntime(options);
  const { openRemote } = await import('./remote/open-remote.ts');
  return openRemote(options, { server, ...(token !== '' && { token }) });
}

/** Imported on demand, so that `--help` is fast. */
async function openRuntime(options: OpenOptions): Promise<Runtime> {
  const app = await import('../app/dandori.ts');
  return app.openRuntime(options);
}

/** For a command that needs the files of this machine. */
export async function openHere(command: string, options: OpenOptions): Promise<Runtime> {
  if ((process.env[SERVER] ?? '') === '') return openRuntime(options);
  throw new DandoriError('usage', `\`dandori ${command}\` works on the runs of this machine only.`, {
    fix: 'Run it where the server runs, without --server.',
  });
}

const WHOLE_ID = /^\d{8}-\d{9}-(?:[a-z0-9]{4}|[a-z0-9]{8})$/;
/** A partial id is looked up among the newest runs only. */
const SEARCHED = 1000;

/** Finds a run by its id, by the beginning or the end of the id, or by `last`. */
export async function findRun(name: string, dandori: RunClient): Promise<string> {
  if (name === 'last') {
    const newest = await newestRun(dandori);
    if (newest !== undefined) return newest;
    throw new DandoriError('run-not-found', 'There are no runs yet.', {
      fix: 'Start one: dandori run "100 + 200を計算"',
    });
  }
  if (WHOLE_ID.test(name)) return name;
  const names = (await dandori.runs({ limit: SEARCHED })).map(({ run }) => run);
  const matches = names.filter((run) => run.startsWith(name) || run.endsWith(name));
  const [only] = matches;
  if (matches.length === 1 && only !== undefined) return only;
  if (matches.length === 0) throw runNotFound(name);
  throw new DandoriError(
    'run-not-found',
    `"${name}" fits ${matches.length} runs: ${matches.slice(0, 5).join(', ')}…`,
    {
      fix: 'Give more of the id.',
    },
  );
}

/** Sub-goals are part of their runs. */
async function newestRun(dandori: RunClient): Promise<string | undefined> {
  let before: string | undefined;
  for (;;) {
    const page = await dandori.runs({ limit: 10, ...(before !== undefined && { before }) });
    const found = page.find(({ parent }) => parent === undefined);
    before = page.at(-1)?.run;
    if (found !== undefined || before === undefined) return found?.run;
  }
}

/** The server to use, if the runs are not in this folder. `--server` and `--token` set the same variables. */
export const SERVER = 'DANDORI_SERVER';
export const TOKEN = 'DANDORI_TOKEN';
