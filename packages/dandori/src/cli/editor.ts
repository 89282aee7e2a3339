import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DandoriError } from '../domain/error.ts';

const FIX =
  'Set VISUAL or EDITOR to one that waits until the file is closed, such as `EDITOR=nano` or `EDITOR="code -w"`.';

/** The editor of the user, with its arguments: `vi`, `code -w`, `"C:\Program Files\ed.exe" /w`. */
export function editorOf({ VISUAL, EDITOR }: NodeJS.ProcessEnv): readonly string[] {
  const wanted = VISUAL?.trim() || EDITOR?.trim() || '';
  const words = [...wanted.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)];
  const command = words.map(([whole, double, single]) => double ?? single ?? whole);
  if (command.length > 0) return command;
  throw new DandoriError('usage', 'No editor is set.', { fix: FIX });
}

/** True where the user has left it as one leaves an editor; a code other than 0 says that nothing is meant. */
export async function openEditor([program = '', ...args]: readonly string[], file: string): Promise<boolean> {
  // Without a shell: nothing in the name of a file is a command. What it draws must not go into a pipe with the answer.
  const child = spawn(program, [...args, file], { stdio: ['inherit', process.stderr, 'inherit'] });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  } catch (error) {
    const message = `The editor ${program} cannot be started: ${(error as Error).message}`;
    throw new DandoriError('usage', message, { fix: FIX, cause: error });
  }
}
