import { createInterface } from 'node:readline';
import { asTyped } from './command-line.ts';
import { run } from './commands/run.ts';
import { styleFor } from './style.ts';
import { textsFor } from './texts.ts';

const GOALS = [
  '100 + 200を計算',
  'What time is it in Asia/Tokyo?',
  'What is the weather at the place of IP address 203.0.113.7?',
  'データベースの商品一覧を表示して',
];

/** Shown by `npm start` alone: a few goals that work at once, and a prompt for another one. */
export async function menu(): Promise<number> {
  const style = styleFor(process.stdout);
  const texts = textsFor({});
  process.stdout.write(`${style.bold('Dandori 段取り')}\n${texts.menuTitle}\n`);
  for (const [index, goal] of GOALS.entries()) process.stdout.write(`  ${index + 1}  ${goal}\n`);
  process.stdout.write(`${style.dim(asTyped(texts.menuUsage))}\n`);
  const reader = createInterface({ input: process.stdin, output: process.stdout, prompt: texts.menuPrompt });
  reader.prompt();
  // A last line without a newline also counts. Its event comes right before `close`.
  const line = await new Promise<string>((resolve) => {
    reader.once('line', resolve);
    reader.once('close', () => resolve(''));
  });
  reader.close();
  const wanted = line.trim();
  if (wanted === '') return 0;
  return run(GOALS[Number(wanted) - 1] ?? wanted, {});
}
