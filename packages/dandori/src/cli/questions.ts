import { duration } from '../core/duration.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { RunQuestion } from '../engine/open-questions.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { answerCommands, questionLines } from './question.ts';
import { oneLine, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

/** What people are asked, of one run or of all that have not ended. */
export async function questions(
  name: string | undefined,
  options: { config?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = name === undefined ? undefined : await findRun(name, dandori);
  const found = await dandori.questions(run);
  const { language } = dandori.config;
  if (options.json === true) process.stdout.write(`${stringifyJson({ questions: found })}\n`);
  else if (found.length === 0) process.stdout.write(`${textsFor({ language }).noQuestions}\n`);
  else
    for (const own of Map.groupBy(found, ({ run: one }) => one).values()) {
      const texts = textsFor({ language, goal: own[0]?.goal });
      for (const line of linesOf(own, texts, options.config)) process.stdout.write(`${line}\n`);
    }
  return 0;
}

/** Of one run. */
function linesOf(own: readonly RunQuestion[], texts: Texts, config: string | undefined): string[] {
  const style = styleFor(process.stdout);
  const [{ run, goal } = { run: '', goal: '' }] = own;
  return [
    style.bold(`${run}  ${oneLine(goal, 60)}`),
    ...own.flatMap((question) => [
      ...questionLines(question, texts, style),
      style.dim(
        `    ${question.id}  ${texts.askedAgo(duration(Math.max(0, Date.now() - question.askedAt)))}`,
      ),
      ...answerCommands(run, question, texts).map((line) => `    ${asTyped(line, config)}`),
    ]),
  ];
}
