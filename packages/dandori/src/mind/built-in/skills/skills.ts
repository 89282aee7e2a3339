import { arithmetic, wordProblem } from './arithmetic/arithmetic.ts';
import { calendar } from './calendar.ts';
import { files } from './files.ts';
import { kitchen } from './kitchen.ts';
import { plain } from './numbers.ts';
import { shell } from './shell.ts';
import { database, rolesIn } from './shop/database.ts';
import type { Request, SkillMove } from './skill.ts';
import { time } from './time.ts';
import { weather } from './weather.ts';

/** In order: the first skill that recognizes the goal handles it. */
const SKILLS = [files, shell, arithmetic, weather, calendar, time, wordProblem, kitchen, database];

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

interface Skilled {
  readonly raw: string;
  readonly has: (operation: string) => boolean;
}

export function isSkilled(operation: string, { raw, has }: Skilled): boolean {
  if (operation.startsWith('files.')) return has('files.undo_change');
  if (operation.startsWith('shell.')) return has('shell.list_commands');
  return SKILLED.has(operation) || (operation.startsWith('sqlite.') && rolesIn(plain(raw)).length > 0);
}

export function skilled(request: Request): SkillMove | undefined {
  for (const skill of SKILLS) {
    const move = skill(request);
    if (move !== undefined) return move;
  }
  return undefined;
}
