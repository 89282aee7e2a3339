import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModel } from './model.ts';

/**
 * Runs every job in every library against a scripted model, and prints what it said and how many model calls it took.
 * `npm run jobs -- LIBRARY/JOB` runs one of them.
 */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  '1-tool': /In Bergen\./,
  '2-output': /\[ 'Bergen' \]/,
  '3-mcp': /It says hello\./,
  '4-approval': /It is deleted\./,
  '5-resume': /Only Bergen is wet\./,
};
const LIBRARIES = ['dandori', 'ai-sdk', 'mastra', 'langgraph'];
const [, , wanted = ''] = process.argv;
const rows: string[] = [];
let isWrong = false;
for (const library of LIBRARIES)
  for (const [job, expected] of Object.entries(EXPECTED)) {
    if (!`${library}/${job}`.includes(wanted)) continue;
    const { said, calls, code } = await run(join(import.meta.dirname, library, `${job}.ts`));
    const isRight = code === 0 && expected.test(said);
    isWrong ||= !isRight;
    rows.push(`| ${job} | ${library} | ${isRight ? 'right' : 'WRONG'} | ${calls} |`);
    console.log(rows.at(-1));
    if (!isRight) console.log(said.slice(-2_000));
  }
process.exitCode = isWrong ? 1 : 0;

async function run(file: string): Promise<{ said: string; calls: number; code: number | null }> {
  const model = await startModel();
  const cwd = mkdtempSync(join(tmpdir(), 'dandori-jobs-'));
  writeFileSync(join(cwd, 'README.md'), 'hello\n');
  const env = {
    ...process.env,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'none',
    MASTRA_TELEMETRY_DISABLED: '1',
  };
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  const hear = (text: Buffer) => {
    said += text;
    if (/\(y\/n\) $/.test(said)) child.stdin.write('y\n');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const timer = setTimeout(() => child.kill('SIGKILL'), 240_000);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  model.close();
  return { said, calls: model.calls(), code };
}
