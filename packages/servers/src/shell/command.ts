import { spawn } from 'node:child_process';
import { SaidError } from '../said.ts';

const KILL_AFTER_MS = 2000;
/** How long to wait for the rest of the output after the end. */
const DRAIN_MS = 2000;

export interface CommandResult {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timed_out: boolean;
  readonly seconds: number;
}

export interface CommandOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeLimitMs: number;
  /** Characters of stdout and of stderr that are kept: half from the beginning, half from the end. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
}

/**
 * Runs one program without a shell. At the time limit, or when the caller leaves, it is ended together with its child
 * processes.
 */
export function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { program, args, cwd, env, input, timeLimitMs, maxOutput, signal } = options;
  const begun = performance.now();
  // A group of its own, so that a signal reaches its children too.
  const child = spawn(program, args, { cwd, env, shell: false, detached: true, windowsHide: true });
  const stdout = new Output(maxOutput);
  const stderr = new Output(maxOutput);
  child.stdout.setEncoding('utf8').on('data', (text: string) => stdout.add(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.add(text));
  // A program that reads nothing closes its input early.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);

  let timedOut = false;
  const end = () => {
    stop(child.pid, 'SIGTERM');
    setTimeout(() => stop(child.pid, 'SIGKILL'), KILL_AFTER_MS).unref();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeLimitMs);
  signal.addEventListener('abort', end, { once: true });

  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      reject(
        new SaidError({
          en: `${program} cannot be started: ${error.message}`,
          ja: `${program} を起動できません：${error.message}`,
        }),
      );
    });
    const finish = () =>
      resolve({
        exit_code: child.exitCode,
        signal: child.signalCode,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.isCut || stderr.isCut,
        timed_out: timedOut,
        seconds: Math.round((performance.now() - begun) / 100) / 10,
      });
    child.once('exit', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      // Also ends child processes that are still running.
      stop(child.pid, 'SIGKILL');
      // A process that has left the group may keep the pipes open for ever.
      setTimeout(finish, DRAIN_MS).unref();
    });
    child.once('close', finish);
  });
}

function stop(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/** The beginning and the end of what a program prints. */
class Output {
  readonly #half: number;
  #head = '';
  #tail = '';
  isCut = false;

  constructor(most: number) {
    this.#half = Math.floor(most / 2);
  }

  add(text: string): void {
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const rest = this.#tail + text.slice(Math.max(0, room));
    if (rest.length > this.#half) this.isCut = true;
    this.#tail = rest.slice(-this.#half);
  }

  text(): string {
    return this.isCut ? `${this.#head}\n… (cut)\n${this.#tail}` : this.#head + this.#tail;
  }
}
