import { arithmetic, wordProblem } from './arithmetic/arithmetic.ts';
import { calendar } from './calendar.ts';
import { kitchen } from './kitchen.ts';
import { plain } from './numbers.ts';
import { database, rolesIn } from './shop/database.ts';
import type { Request, SkillMove } from './skill.ts';
import { time } from './time.ts';
import { weather } from './weather.ts';

/** In order: the first skill that recognizes the goal handles it. */
const SKILLS = [arithmetic, weather, calendar, time, wordProblem, kitchen, database];

/** Tools whose everyday goals the skills read word by word. A goal that they decline is not guessed from single words. */
const SKILLED = new Set([
  'calc.evaluate',
  'clock.get_current_time',
  'clock.convert_time',
  'places.locate_ip',
  'places.get_weather',
  'kitchen.list_inventory',
  'kitchen.find_recipes',
  'kitchen.add_item',
  'kitchen.remove_item',
]);

export function isSkilled(operation: string, { raw }: { readonly raw: string }): boolean {
  return SKILLED.has(operation) || (operation.startsWith('sqlite.') && rolesIn(plain(raw)).length > 0);
}

export function skilled(request: Request): SkillMove | undefined {
  for (const skill of SKILLS) {
    const move = skill(request);
    if (move !== undefined) return move;
  }
  return undefined;
}
