import { arithmetic, wordProblem } from './arithmetic.ts';
import { calendar } from './calendar.ts';
import { database } from './database.ts';
import { kitchen } from './kitchen.ts';
import type { Request, SkillMove } from './skill.ts';
import { time } from './time.ts';
import { weather } from './weather.ts';

/** In order: the first skill that recognizes the goal handles it. */
const SKILLS = [arithmetic, weather, calendar, time, wordProblem, kitchen, database];

export function skilled(request: Request): SkillMove | undefined {
  for (const skill of SKILLS) {
    const move = skill(request);
    if (move !== undefined) return move;
  }
  return undefined;
}
