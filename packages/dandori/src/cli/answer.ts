import { chosen } from './choice.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export async function answer(
  { run: name, question, text }: { run: string; question: string; text: string },
  options: { config?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  const { goal, questions } = await dandori.report(run);
  const asked = questions.find(({ id }) => id === question);
  const value = chosen(text, asked?.options);
  await dandori.answer(run, question, value);
  const texts = textsFor({ language: dandori.config.language, goal });
  if (options.json === true) process.stdout.write(`${JSON.stringify({ run, question, answer: value })}\n`);
  else process.stderr.write(`${texts.answered}\n${asTyped(texts.thenResume(run), options.config)}\n`);
  return 0;
}
