import { Command, CommanderError, Option } from 'commander';
import { version } from '../config/version.ts';
import { DandoriError } from '../model/error.ts';
import { stringifyJson } from '../model/json.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { SERVER, TOKEN } from './open.ts';
import { printable, styleFor } from './style.ts';
import { textsFor } from './texts.ts';
import { asTyped, configIn } from './typed.ts';

/**
 * The `dandori` command. Each command is a file of its own and is loaded only when it is used, so that `--help`
 * stays as quick as bare Node.
 */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const then = (code: number) => {
    exitCode = code;
  };
  const program = new Command('dandori')
    .description(
      'Plans, checks the plan like a compiler, runs it in parallel, asks when unsure, and answers.',
    )
    .version(version())
    .exitOverride()
    .showHelpAfterError(asTyped('(dandori --help shows what there is)'))
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', HELP_END)
    .hook('preAction', async (_program, command) => {
      const { server, token } = command.opts<{ server?: string; token?: string }>();
      if (server !== undefined) process.env[SERVER] = server;
      if (token !== undefined) process.env[TOKEN] = token;
    });
  const command = (signature: string, description: string) =>
    program.command(signature).description(description).option('--config <file>', 'use this dandori.yaml');
  /** One that works on the runs of a server as well. */
  const onRuns = (signature: string, description: string) =>
    command(signature, description)
      .option('--server <url>', 'work on the runs of this server (or DANDORI_SERVER)')
      .option('--token <token>', 'who you are there; better in DANDORI_TOKEN, as others see what is typed');
  const json = ['--json', 'print one JSON object and nothing else'] as const;
  const user = ['--user <id>', 'who you are'] as const;

  onRuns('run [goal...]', 'reach a goal, or run a plan file')
    .option('--plan <file>', 'run this plan (YAML or JSON) in place of making one')
    .addOption(
      new Option('--mode <mode>', 'how to work').choices([
        'auto',
        'direct',
        'adaptive',
        'planned',
        'hierarchical',
      ]),
    )
    .option(...json)
    .addOption(
      new Option(
        '--approval <policy>',
        'what to ask about in this run, whatever the configuration says',
      ).choices(['never', 'destructive', 'writes', 'plan', 'always']),
    )
    .option('--yes', 'approve every call and every plan that would be asked about')
    .option('--user <id>', 'the user on whose behalf it runs')
    .action(async (goal: string[], options) =>
      then(await (await import('./commands/run.ts')).run(goal.join(' '), options)),
    );
  onRuns('chat', 'talk: light work is done at once, long work in the background, and reports come in between')
    .option('--new', 'begin a new conversation in place of going on with the last one')
    .option('--conversation <id>', 'go on with this conversation')
    .option('--list', 'list the conversations')
    .option('--json', 'print one JSON object a line')
    .option(
      '--wait <duration>',
      'in a pipe: how long to wait at the end for what is in the background',
      '10m',
    )
    .action(async (options) => then(await (await import('./commands/chat.ts')).chat(options)));
  command('check <plan>', 'compile a plan file without running it, and say what it will take')
    .option('--explain', 'say why each task waits for another')
    .option(...json)
    .action(async (plan: string, options) =>
      then(await (await import('./commands/plans.ts')).check(plan, options)),
    );
  onRuns('runs', 'list the runs, newest first')
    .option(...json)
    .option('--limit <count>', 'how many', '20')
    .action(async (options) => then(await (await import('./commands/runs.ts')).runs(options)));
  onRuns('show <run>', 'show a run: its tasks, its answer, its questions ("last" is the newest)')
    .option(...json)
    .option('--plan', 'print its plan as a plan file in place of it (with --json as JSON)')
    .action(async (run: string, options) =>
      then(await (await import('./commands/show.ts')).show(run, options)),
    );
  onRuns('log <run>', 'show every event of a run')
    .option('--json', 'print the events as JSON Lines')
    .option('--follow', 'go on until the run ends')
    .action(async (run: string, options) =>
      then(await (await import('./commands/log.ts')).log(run, options)),
    );
  onRuns('resume <run>', 'go on with a run that was interrupted or paused or waited for an answer')
    .option(...json)
    .option(...user)
    .option('--yes', 'approve every call and every plan that would be asked about')
    .option(
      '--add-budget <amounts>',
      'raise its limits first: steps=5,calls=10,tokens=50000,cost=0.5,time=10m',
    )
    .action(async (run: string, options) =>
      then(await (await import('./commands/run.ts')).resume(run, options)),
    );
  onRuns('answer <run> [words...]', 'answer a question of a run: [question] [answer]')
    .usage('[options] <run> [question] [answer...]')
    .option(
      '--field <name=value>',
      'fill in a field of its form; may be given several times',
      (word: string, before: string[]) => [...before, word],
      [],
    )
    .option('--decline', 'say no, or that you will not say')
    .option('--comment <text>', 'why, or what should be done in place of it')
    .option(...user)
    .option(...json)
    .action(async (run: string, words: string[], options) =>
      then(await (await import('./commands/answer.ts')).answer({ run, words }, options)),
    );
  onRuns('approve <run> [question]', 'say yes to a call or a plan that waits')
    .option(
      '--edit [file]',
      'carry out this plan in place of it; without a file, edit it in $VISUAL or $EDITOR',
    )
    .option(...user)
    .option(...json)
    .action(async (run: string, question: string | undefined, options) =>
      then(await (await import('./commands/approve.ts')).approve({ run, question }, options)),
    );
  onRuns('reject <run> [question]', 'say no to a call or a plan that waits')
    .option('--reason <text>', 'why, or what should be done in place of it')
    .option(...user)
    .option(...json)
    .action(async (run: string, question: string | undefined, options) =>
      then(await (await import('./commands/approve.ts')).reject({ run, question }, options)),
    );
  onRuns('questions [run]', 'list the open questions of a run, or of all runs')
    .option(...json)
    .action(async (run: string | undefined, options) =>
      then(await (await import('./commands/answer.ts')).questions(run, options)),
    );
  onRuns('tell <run> <text...>', 'say something to a run; its next decision is told')
    .option(...user)
    .option(...json)
    .action(async (run: string, words: string[], options) =>
      then(await (await import('./commands/steer.ts')).tell({ run, text: words.join(' ') }, options)),
    );
  onRuns('pause <run>', 'let a run begin nothing more; what runs comes to its end')
    .option('--reason <text>', 'why')
    .option(...user)
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/steer.ts')).pause(run, options)),
    );
  onRuns('cancel <run>', 'stop a run; its running calls are told')
    .option('--reason <text>', 'why')
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/steer.ts')).cancel(run, options)),
    );
  onRuns('lift <run>', 'print a plan file that does again what a run has done')
    .option('--json', 'print the plan as JSON')
    .action(async (run: string, options) =>
      then(await (await import('./commands/plans.ts')).lift(run, options)),
    );
  onRuns('history <run>', 'show the plan of a run, and every proposal, revision and reflection')
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/show.ts')).history(run, options)),
    );
  onRuns('replay <run>', 'make a run again from its journal alone, and prove each of its events')
    .option('--to <seq>', 'stop at this event, and show the run as it was then')
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/past.ts')).replay(run, options)),
    );
  onRuns('fork <run>', 'start a new run with the same past; nothing of it is done again')
    .option(
      '--at <seq>',
      'the last event that both share; without it the one before the first --answer was given',
    )
    .option('--answer <question=value>', 'answer this question, or answer it otherwise', gather)
    .option('--edit-plan <file>', 'put the tasks of this plan in place of those that were not begun')
    .option('--no-run', 'do not go on with it yet')
    .option(...json)
    .option(...user)
    .option('--yes', 'approve every call that would be asked about')
    .action(async (run: string, options) =>
      then(await (await import('./commands/past.ts')).fork(run, options)),
    );
  onRuns('diff <run> <other>', 'show what two runs have done differently')
    .option(...json)
    .action(async (run: string, other: string, options) =>
      then(await (await import('./commands/past.ts')).diff([run, other], options)),
    );
  onRuns('record <run>', 'print a run as a test that `dandori/testing` runs')
    .option('--json', 'print the test as JSON')
    .action(async (run: string, options) =>
      then(await (await import('./commands/past.ts')).record(run, options)),
    );
  onRuns('doctor [run]', 'look for damage in all runs and stored results, or in one run')
    .option(
      '--repair',
      'cut off half-written last lines and remove locks of dead processes; ask about the rest',
    )
    .option('--yes', 'with --repair: do not ask, and leave the rest')
    .option(...json)
    .action(async (run: string | undefined, options) =>
      then(await (await import('./commands/storage.ts')).doctor(run, options)),
    );
  onRuns('rate <run> <rating> [comment...]', 'say what you think of a run: good, bad, or from 1 to 5')
    .option('--comment <text>', 'why')
    .option('--by <name>', 'who says so')
    .option(...json)
    .action(async (run: string, rating: string, words: string[], options) =>
      then(await (await import('./commands/runs.ts')).rate({ run, rating, words }, options)),
    );
  onRuns('stats', 'count the runs: how many were completed, what they cost, which tools fail')
    .option('--since <duration>', 'only runs that started in this time, such as 30d or 12h')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/stats.ts')).stats(options)));
  command('prune', 'remove runs that ended long ago, and the large results that no other run uses')
    .requiredOption('--older-than <duration>', 'only runs whose last event is older, such as 30d or 12h')
    .option('--keep-failed', 'leave those that failed or were exhausted')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .option(...json)
    .option('--yes', 'do not ask; needed where nobody sits at a terminal')
    .action(async (options) => then(await (await import('./commands/storage.ts')).prune(options)));
  onRuns('tools', 'list the tools of all servers')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/tools.ts')).tools(options)));
  command('serve', 'serve the runs of this folder over HTTP, and drive them')
    .option('--host <address>', 'listen here in place of server.host')
    .option('--port <number>', 'listen here in place of server.port')
    .action(async (options) => then(await (await import('./commands/serve.ts')).serve(options)));
  program
    .command('token')
    .description('make a token for the server, and the line of its configuration')
    .option('--user <id>', 'whose it is', 'me')
    .option('--role <role>', 'viewer, operator or admin', 'operator')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/serve.ts')).token(options)));
  program
    .command('init')
    .description('write a commented dandori.yaml into this folder')
    .option('--force', 'overwrite the one that is there')
    .action(async (options) => then(await (await import('./commands/init.ts')).init(options)));
  program
    .command('menu', { hidden: true })
    .action(async () => then(await (await import('./menu.ts')).menu()));

  try {
    await program.parseAsync(argv.length === 0 ? ['menu'] : [...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { complain } = await import('./main.ts');
    return complain(error, { json: argv.includes('--json'), config: configIn(argv) });
  }
}

/** An option that may be given several times. */
function gather(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

const HELP_END = `
Exit codes: 0 answered, 1 failed, 2 usage or configuration, 3 waits for an answer, 4 cancelled, 5 exhausted,
6 paused.
diff, replay and doctor: 0 nothing found, 1 something differs or is damaged.

Examples:
  dandori run "100 + 200を計算"
  dandori run --plan plan.yaml --json
  dandori log last --follow`;

export interface Complaining {
  readonly json: boolean;
  /** As the user gave it, for the commands that help. */
  readonly config: string | undefined;
}

/** Tells an error so that the reader knows what to do. A bug shows its stack; everything else does not need one. */
export function complain(error: unknown, { json, config }: Complaining): number {
  const style = styleFor(process.stderr);
  if (!(error instanceof DandoriError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${style.red(`${textsFor({}).bug}:`)} ${printable(text)}\n`);
    return 1;
  }
  const { code, message, fix, diagnostics } = error;
  if (json) process.stdout.write(`${stringifyJson({ error: { code, message, fix, diagnostics } })}\n`);
  process.stderr.write(`${style.red(`error[${code}]:`)} ${printable(message)}\n`);
  if (fix !== undefined)
    process.stderr.write(`${style.bold(`${textsFor({}).fix}:`)} ${printable(asTyped(fix, config))}\n`);
  return EXIT_USAGE;
}
