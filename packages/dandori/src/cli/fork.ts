import { readPlanFile } from '../config/plan-file.ts';
import { DandoriError } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Forked, ForkOptions as Options } from '../engine/fork.ts';
import { chosen } from './choice.ts';
import { inItsLines } from './edit-plan.ts';
import { findRun } from './find-run.ts';
import { eventNumber } from './number.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import { styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export interface ForkOptions extends SessionOptions {
  readonly at?: string;
  readonly answer?: readonly string[];
  readonly editPlan?: string;
  readonly run: boolean;
}

export async function fork(name: string, { at: typed, ...options }: ForkOptions): Promise<number> {
  const at = eventNumber('--at', typed);
  const plan = options.editPlan === undefined ? undefined : await readPlanFile(options.editPlan);
  await using session = await openSession(options);
  const { dandori } = session;
  const source = await findRun(name, dandori);
  const wanted: Options = {
    ...(at !== undefined && { at }),
    answers: await answersIn(options.answer ?? [], source, session),
    ...(plan && { tasks: plan.tasks }),
    ...(options.user !== undefined && { by: options.user }),
  };
  const work = () => dandori.fork(source, wanted);
  const forked = await (plan === undefined ? work() : inItsLines(plan, work));
  const { goal } = await dandori.report(forked.run);
  const texts = textsFor({ language: dandori.config.language, goal });
  if (options.json !== true) for (const line of linesOf(forked, texts)) process.stderr.write(`${line}\n`);
  if (options.run) return await session.follow(forked.run);
  if (options.json === true) process.stdout.write(`${stringifyJson(forked)}\n`);
  else process.stderr.write(`${asTyped(texts.forked.howToDrive(forked.run), options.config)}\n`);
  return 0;
}

/** What is typed means the same as behind `dandori answer`. */
async function answersIn(
  typed: readonly string[],
  run: string,
  { dandori }: Session,
): Promise<Record<string, Json>> {
  const asked = (await dandori.events(run)).flatMap((event) =>
    event.type === 'question_asked' ? [event.data.question] : [],
  );
  return Object.fromEntries(
    typed.map((text) => {
      const [, id, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
      if (id === undefined || value === undefined)
        throw new DandoriError('usage', `--answer takes QUESTION=VALUE, not "${text}".`, {
          fix: 'Write it like --answer q1=approve; `dandori log` shows the questions.',
        });
      return [id, chosen(value, asked.find((question) => question.id === id)?.options)];
    }),
  );
}

function linesOf({ forkedFrom, settled, later }: Forked, { forked: texts }: Texts): string[] {
  const style = styleFor(process.stderr);
  return [
    texts.from(forkedFrom.run, forkedFrom.seq),
    ...(settled.length > 0 ? [texts.settled(settled.join(', '))] : []),
    ...(later.length > 0 ? [style.yellow(texts.later)] : []),
    ...later.map(({ task, operation, effect }) => `  ${task} ${operation} (${effect})`),
  ];
}
