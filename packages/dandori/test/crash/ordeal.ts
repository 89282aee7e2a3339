import type { Event } from '../../src/model/event.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { type Deciding, type Kill, openVictim, type Victim } from './victim.ts';

/** What came of a run that was killed again and again, and taken up each time. */
export interface Ordeal {
  readonly kills: number;
  /** Events that were in the journal at each kill. */
  readonly points: readonly number[];
  readonly questions: number;
  readonly effects: number;
  readonly duplicates: readonly string[];
  readonly losses: readonly string[];
  readonly problems: readonly string[];
}

/** Far more than an ordeal takes. */
const MOST_LIVES = 60;

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly task?: string;
  readonly context: { readonly open?: { readonly args: { readonly name: string } } };
}

interface Report {
  readonly outcome: string;
  readonly questions: readonly Asked[];
}

/** Kills the run each time as the next of these says, then lets it run to its end. */
export async function undergo(by: Deciding, kills: readonly Kill[]): Promise<Ordeal> {
  await using victim = await openVictim(by);
  const points: number[] = [];
  const problems: string[] = [];
  let questions = 0;
  let killed = 0;
  for (let life = 0; ; life++) {
    const run = await victim.run();
    const args = run === undefined ? victim.start : ['resume', run, '--json'];
    const kill = kills[killed];
    const end = await victim.life(args, kill);
    if (end === undefined) {
      killed++;
      points.push((await eventsOf(victim)).length);
    } else if (end.code === 3) questions += await answer(victim, JSON.parse(end.stdout));
    else if (end.code === 0) break;
    else problems.push(`exit code ${end.code}: ${end.stderr}`);
    if (life > MOST_LIVES) problems.push(`no end after ${life} lives`);
    if (problems.length > 0) break;
  }
  const happened = await victim.happened();
  const times = (name: string) => happened.filter((one) => one === name).length;
  return {
    kills: killed,
    points,
    questions,
    effects: happened.length,
    duplicates: victim.effects.filter((name) => times(name) > 1),
    losses: victim.effects.filter((name) => times(name) === 0),
    problems: [...problems, ...brokenLaws(await eventsOf(victim))],
  };
}

/** A person who looks at what really happened, and says so. */
async function answer(victim: Victim, { questions }: Report): Promise<number> {
  const happened = await victim.happened();
  const run = (await victim.run()) ?? '';
  for (const { id, kind, task = '', context } of questions) {
    if (kind !== 'in_doubt') throw new Error(`unexpected question of the kind ${kind}`);
    const { open } = context;
    // Of a service that was interrupted: whether the call that it was in took effect.
    const isDone = happened.includes(open?.args.name ?? task);
    const truth = !isDone ? 'again' : open === undefined ? 'happened' : 'again_after';
    const { code, stderr } = await victim.place.dandori('answer', run, id, truth);
    if (code !== 0) throw new Error(stderr);
  }
  return questions.length;
}

async function eventsOf({ place, run }: Victim): Promise<Event[]> {
  const name = await run();
  return name === undefined ? [] : place.events(name);
}
