import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { version } from '../config/version.ts';
import { exitCodes } from './exit-code.ts';
import { SERVER, TOKEN } from './workplace.ts';

/** Options of many commands. */
interface Common {
  readonly server?: string;
  readonly token?: string;
  readonly config?: string;
  readonly json?: boolean;
}

const json = ['--json', 'Print one JSON object and nothing else'] as const;
const user = ['--user <id>', 'Act as this user'] as const;
const model = ['--model <provider/name>', 'Use this model (or DANDORI_MODEL)'] as const;
const yes = ['--yes', 'Approve calls and plans without asking'] as const;

/** What the definition of a command needs. */
interface Definition {
  readonly program: Command;
  readonly command: (signature: string, description: string) => Command;
  /** A command that also works on the runs of a server. */
  readonly onRuns: (signature: string, description: string) => Command;
  /** Receives the exit code of the command that ran. */
  readonly then: (exitCode: number) => void;
}

/**
 * The commands of `dandori` and their options. Hints in messages are derived from these definitions. Each
 * command loads its code only when it runs, so that `--help` is as fast as bare Node.
 */
export function createProgram(then: (exitCode: number) => void = () => {}): Command {
  const program = new Command('dandori')
    .description('Plan a goal, check the plan, run it in parallel, ask when unsure, and answer.')
    .version(version(), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('Show help for a command').helpGroup('Help:'),
    )
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', HELP_END)
    // `takeLanguage` reads this option before the command line is parsed. It is declared here only so that `--help`
    // lists it.
    .addOption(
      new Option('--lang <language>', 'Language of the texts (or DANDORI_LANG)').choices(['en', 'ja']),
    )
    .hook('preAction', async (_program, command) => {
      const { server, token, ...about } = command.opts<Common>();
      const folder = about.config === undefined ? '.' : dirname(about.config);
      if (existsSync(join(folder, '.env')))
        (await import('./announce.ts')).loadVariables(folder, about.json === true);
      if (server !== undefined) process.env[SERVER] = server;
      if (token !== undefined) process.env[TOKEN] = token;
    });
  const command = (signature: string, description: string) =>
    program.command(signature).description(description).option('--config <file>', 'Use this dandori.yaml');
  const onRuns = (signature: string, description: string) =>
    command(signature, description)
      .option('--server <url>', 'Use the runs of this Dandori server (or DANDORI_SERVER)')
      .option('--token <token>', 'Access token of the server; safer in DANDORI_TOKEN');
  const definition: Definition = { program, command, onRuns, then };
  addRunCommands(definition);
  addWatchCommands(definition);
  addAnswerCommands(definition);
  addPastCommands(definition);
  addSetupCommands(definition);
  addServeCommands(definition);
  return program;
}

function addRunCommands({ program, command, onRuns, then }: Definition): void {
  program.commandsGroup('Run:');
  onRuns('run [goal...]', 'Run a goal or a plan file')
    .option('--plan <file>', 'Run this plan (YAML or JSON) instead of planning')
    .option('--watch', 'Run the plan again each time its file changes')
    .addOption(
      new Option('--mode <mode>', 'How to plan').choices([
        'auto',
        'direct',
        'adaptive',
        'planned',
        'hierarchical',
      ]),
    )
    .option(...json)
    .addOption(
      new Option('--approval <policy>', 'What to ask about in this run; overrides the configuration').choices(
        ['never', 'destructive', 'writes', 'plan', 'step', 'always'],
      ),
    )
    .option(...yes)
    .option(...model)
    .option('--attach <file...>', 'Give these files with the goal')
    .option('--output <file>', 'Answer with a value that fits this JSON Schema')
    .option('--user <id>', 'Run on behalf of this user')
    .action(async (goal: string[], options) =>
      then(await (await import('./commands/run.ts')).runOrWatch(goal.join(' '), options)),
    );
  onRuns('chat', 'Chat; long work runs in the background')
    .option(...model)
    .option('--new', 'Start a new conversation instead of continuing the last one')
    .option('--conversation <id>', 'Continue this conversation')
    .option('--list', 'List the conversations')
    .option('--json', 'Print one JSON object per line')
    .option('--wait <duration>', 'In a pipe: how long to wait for background work at the end', '10m')
    .action(async (options) => then(await (await import('./commands/chat.ts')).chat(options)));
  command('check <plan>', 'Check a plan file without running it')
    .option('--explain', 'Show why each task waits for another')
    .option('--trust', 'Show which calls will be asked about, and why')
    .option(...json)
    .action(async (plan: string, options) =>
      then(await (await import('./commands/plans.ts')).check(plan, options)),
    );
}

function addWatchCommands({ program, onRuns, then }: Definition): void {
  program.commandsGroup('Watch:');
  onRuns('runs', 'List the runs, newest first')
    .option(...json)
    .option('--limit <count>', 'How many to list', '20')
    .action(async (options) => then(await (await import('./commands/runs.ts')).runs(options)));
  onRuns('show <run>', 'Show the tasks, answer and questions of a run ("last" is the newest)')
    .option(...json)
    .option('--plan', 'Print its plan as a plan file instead (JSON with --json)')
    .option('--history', 'Show every proposal, revision and reflection of its plan instead')
    .action(async (run: string, { history, ...options }) => {
      const { show, history: showHistory } = await import('./commands/show.ts');
      then(await (history === true ? showHistory(run, options) : show(run, options)));
    });
  onRuns('history <run>', 'Show every proposal, revision and reflection of a plan')
    .option('--json', 'Print plans, revisions and reflections as JSON Lines')
    .action(async (run: string, options) =>
      then(await (await import('./commands/show.ts')).history(run, { ...options, lines: options.json })),
    );
  onRuns('log <run>', 'Show every event of a run')
    .option('--json', 'Print the events as JSON Lines')
    .option('--follow', 'Keep printing until the run ends')
    .option('--trust', 'Show why each call was made or asked about instead')
    .action(async (run: string, options) =>
      then(await (await import('./commands/log.ts')).log(run, options)),
    );
  onRuns('stats', 'Summarize success, cost and failing tools')
    .option('--since <duration>', 'Count only runs that started in this time, such as 30d or 12h')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/stats.ts')).stats(options)));
  onRuns('rate <run> <rating> [comment...]', 'Rate a run: good, bad, or 1 to 5')
    .option('--comment <text>', 'The reason')
    .option(...user)
    .addOption(new Option('--by <name>').hideHelp())
    .option(...json)
    .action(async (run: string, rating: string, words: string[], { by, ...options }) =>
      then(await (await import('./commands/runs.ts')).rate({ run, rating, words }, { user: by, ...options })),
    );
}

function addAnswerCommands({ program, onRuns, then }: Definition): void {
  program.commandsGroup('Answer:');
  onRuns('questions [run]', 'List the open questions of a run or of all runs')
    .option(...json)
    .action(async (run: string | undefined, options) =>
      then(await (await import('./commands/answer.ts')).questions(run, options)),
    );
  onRuns('answer <run> [words...]', 'Answer a question of a run')
    .usage('[options] <run> [question] [answer...]')
    .option('--field <name=value>', 'Fill in a field of the form; repeatable', gather)
    .option('--decline', 'Decline to answer')
    .option('--comment <text>', 'The reason, or what to do instead')
    .option(...user)
    .option(...json)
    .action(async (run: string, words: string[], options) =>
      then(await (await import('./commands/answer.ts')).answer({ run, words }, options)),
    );
  onRuns('approve <run> [question]', 'Approve a call or a plan')
    .option('--edit [file]', 'Run this plan instead; without a file, edit it in $VISUAL or $EDITOR')
    .option(...user)
    .option(...json)
    .action(async (run: string, question: string | undefined, options) =>
      then(await (await import('./commands/approve.ts')).approve({ run, question }, options)),
    );
  onRuns('reject <run> [question]', 'Reject a call or a plan')
    .option('--reason <text>', 'The reason, or what to do instead')
    .option(...user)
    .option(...json)
    .action(async (run: string, question: string | undefined, options) =>
      then(await (await import('./commands/approve.ts')).reject({ run, question }, options)),
    );
  onRuns('approvals [action] [ids...]', 'List the approvals you gave for good, or revoke some')
    .usage('[options] [revoke <id...>]')
    .option(...user)
    .option(...json)
    .action(async (action: string | undefined, ids: string[], options) =>
      then(await (await import('./commands/approve.ts')).approvals({ action, ids }, options)),
    );
  onRuns('note <run> <text...>', 'Add a note for the next decision')
    .option(...user)
    .option(...json)
    .action(async (run: string, words: string[], options) =>
      then(await (await import('./commands/steer.ts')).note({ run, text: words.join(' ') }, options)),
    );
  onRuns('pause <run>', 'Pause a run; running calls finish')
    .option('--reason <text>', 'The reason')
    .option(...user)
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/steer.ts')).pause(run, options)),
    );
  onRuns('resume <run>', 'Resume a stopped run')
    .option(...json)
    .option(...user)
    .option(...yes)
    .option(...model)
    .option('--raise <amounts>', 'Raise its limits first: steps=5,calls=10,tokens=50000,cost=0.5,time=10m')
    .addOption(new Option('--add-budget <amounts>').hideHelp())
    .action(async (run: string, { addBudget, ...options }) =>
      then(await (await import('./commands/run.ts')).resume(run, { raise: addBudget, ...options })),
    );
  onRuns('cancel <run>', 'Cancel a run and its calls')
    .option('--reason <text>', 'The reason')
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/steer.ts')).cancel(run, options)),
    );
}

function addPastCommands({ program, onRuns, then }: Definition): void {
  program.commandsGroup('Past:');
  onRuns('verify <run>', 'Recompute a run from its journal and verify each event')
    .option('--to <seq>', 'Stop at this event and show the run as it was then')
    .option(...json)
    .action(async (run: string, options) =>
      then(await (await import('./commands/past.ts')).replay(run, options)),
    );
  onRuns('fork <run>', 'Start a new run from an event of another one')
    .option('--at <seq>', 'The last shared event; by default the one before the first --answer')
    .addOption(
      new Option('--from <point>', 'Instead of --at: run everything again, or only what failed').choices([
        'start',
        'failed',
      ]),
    )
    .option('--answer <question=value>', 'Answer this question, or change its answer; repeatable', gather)
    .option('--plan <file>', 'Replace the tasks that have not started with those of this plan')
    .addOption(new Option('--edit-plan <file>').hideHelp())
    .option('--no-run', "Don't run it yet")
    .option(...json)
    .option(...user)
    .option(...yes)
    .option(...model)
    .action(async (run: string, { editPlan, ...options }) =>
      then(await (await import('./commands/past.ts')).fork(run, { plan: editPlan, ...options })),
    );
  onRuns('diff <run> <other>', 'Show the differences between two runs')
    .option(...json)
    .action(async (run: string, other: string, options) =>
      then(await (await import('./commands/past.ts')).diff([run, other], options)),
    );
  onRuns('save-test <run>', 'Save a run as a test for `dandori/testing`')
    .option('--json', 'Print the test as JSON')
    .action(async (run: string, options) =>
      then(await (await import('./commands/past.ts')).record(run, options)),
    );
  onRuns('save-plan <run>', 'Save a run as a plan file')
    .option('--json', 'Print the plan as JSON')
    .action(async (run: string, options) =>
      then(await (await import('./commands/plans.ts')).lift(run, options)),
    );
}

function addSetupCommands({ program, command, onRuns, then }: Definition): void {
  program.commandsGroup('Set up:');
  program
    .command('init')
    .description('Create a commented dandori.yaml in this folder')
    .option('--force', 'Overwrite the existing file')
    .option('--model <provider/name>', 'Write this model, and try it with one call')
    .option('--no-check', "Don't call the model")
    .option('--yes', 'Ask nothing; take the options and the defaults')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/init.ts')).init(options)));

  command('add [name] [target...]', 'Add an MCP server, or import those of another program')
    .usage('[options] <name> -- <command...> | <name> <url> | --from <source> [name...]')
    .option('--from <source>', 'Import from claude, vscode, cursor or a file')
    .option('--header <name: value>', 'Send this header to the address; repeatable', gather)
    .option('--env <name=value>', 'Set this variable for the command; repeatable', gather)
    .option('--replace', 'Replace a server of the same name')
    .option('--no-check', 'Add it without connecting to it')
    .option('--login', 'Log in if the server wants it, also without a terminal')
    .option('--yes', 'Write the proposed effects without asking')
    .option(...json)
    .action(async (name: string | undefined, target: string[], options) =>
      then(await (await import('./setup/add.ts')).add(name === undefined ? [] : [name, ...target], options)),
    );
  command('remove <name...>', 'Remove MCP servers from the configuration')
    .option(...json)
    .action(async (names: string[], options) =>
      then(await (await import('./setup/list.ts')).remove(names, options)),
    );
  command('list', 'List the configured MCP servers')
    .option(...json)
    .action(async (options) => then(await (await import('./setup/list.ts')).list(options)));

  command('login <name>', 'Log in to an MCP server with your browser')
    .option('--device', 'Log in on another device with a code')
    .option('--no-browser', 'Only show the address to open')
    .option(...json)
    .action(async (name: string, options) =>
      then(await (await import('./setup/login.ts')).login(name, options)),
    );
  command('logout <name>', 'Forget the login of an MCP server')
    .option(...json)
    .action(async (name: string, options) =>
      then(await (await import('./setup/login.ts')).logout(name, options)),
    );
  onRuns('tools', 'List the tools of all servers')
    .option('--trust', 'Show which results are trusted and which arguments aim a call')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/tools.ts')).tools(options)));
  command('models [provider]', 'List the models that a provider offers')
    .option(...json)
    .action(async (provider: string | undefined, options) =>
      then(await (await import('./setup/models.ts')).models(provider, options)),
    );
  onRuns('doctor [run]', 'Check Node, model, servers and stored runs, and say what to do')
    .option('--repair', 'Repair what can be repaired without loss; ask about the rest')
    .option('--yes', "With --repair: don't ask, and leave the rest")
    .option(...json)
    .action(async (run: string | undefined, options) =>
      then(await (await import('./commands/doctor.ts')).doctor(run, options)),
    );
  program
    .command('completion <shell>')
    .description('Print the completion script for bash, zsh or fish')
    .action(async (shell: string) => then(await (await import('./setup/completion.ts')).completion(shell)));
}

function addServeCommands({ program, command, then }: Definition): void {
  program.commandsGroup('Serve:');
  command('serve', 'Serve runs over HTTP')
    .option('--host <address>', 'Listen on this address instead of server.host')
    .option('--port <number>', 'Listen on this port instead of server.port')
    .option('--workers <number>', 'Drive runs in this many processes instead of server.workers')
    .option(...model)
    .action(async (options) => then(await (await import('./commands/serve.ts')).serve(options)));
  command('work', 'Drive runs without serving them')
    .option('--health <port>', 'Answer /healthz, /readyz and /metrics on this port')
    .option('--host <address>', 'Listen on this address instead of server.host')
    .addOption(new Option('--for-server').hideHelp())
    .option(...model)
    .action(async (options) => then(await (await import('./commands/serve.ts')).work(options)));
  program
    .command('token')
    .description('Create an access token')
    .option('--user <id>', 'The user it belongs to', 'me')
    .option('--role <role>', 'viewer, operator or admin', 'operator')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/serve.ts')).token(options)));
  command('prune', 'Remove old runs and the stored results that only they use')
    .requiredOption('--older-than <duration>', 'Remove runs whose last event is older, such as 30d or 12h')
    .option('--keep-failed', 'Keep runs that failed or reached a limit')
    .option('--dry-run', 'Show what would be removed')
    .option(...json)
    .option('--yes', "Don't ask; needed without a terminal")
    .action(async (options) => then(await (await import('./commands/storage.ts')).prune(options)));
  command('store <action> [stores...]', 'Copy runs to another store, or update the tables of the database')
    .usage('[options] copy <from> <to> | migrate')
    .option('--run <id>', 'With copy: only this run')
    .option(...json)
    .action(async (action: string, stores: string[], options) =>
      then(await (await import('./commands/storage.ts')).store({ action, stores }, options)),
    );
  command('migrate', 'The same as `store migrate`')
    .option(...json)
    .action(async (options) => then(await (await import('./commands/storage.ts')).migrate(options)));
  program
    .command('menu', { hidden: true })
    .action(async () => then(await (await import('./menu.ts')).menu()));
}

/** Collects the values of an option that may be repeated. */
function gather(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

const HELP_END = `
Exit codes: ${exitCodes()}.
diff, verify and doctor: 0 no differences or problems, 1 some.

Examples:
  dandori run "100 + 200を計算"
  dandori run --plan plan.yaml --json
  dandori log last --follow`;
