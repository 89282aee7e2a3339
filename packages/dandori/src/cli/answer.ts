import { openDandori } from '../dandori.ts';
import type { Json } from '../domain/json.ts';
import { findRun } from './find-run.ts';
import { textsFor } from './texts.ts';

export async function answer(
  { run: name, question, text }: { run: string; question: string; text: string },
  options: { config?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  const asked = (await dandori.report(run)).questions.find(({ id }) => id === question);
  const value = meant(
    text,
    asked?.options?.map((option) => option.value),
  );
  await dandori.answer(run, question, value);
  const texts = textsFor({ language: dandori.config.language });
  if (options.json === true) process.stdout.write(`${JSON.stringify({ run, question, answer: value })}\n`);
  else process.stderr.write(`${texts.answered}\n${texts.thenResume(run)}\n`);
  return 0;
}

/** Options may have values that are not text; they are given as JSON then. */
function meant(text: string, values: readonly Json[] | undefined): Json {
  if (values === undefined || values.includes(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
