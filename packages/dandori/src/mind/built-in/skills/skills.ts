import { arithmetic, wordProblem } from './arithmetic/arithmetic.ts';
import { calendar } from './calendar.ts';
import { citiesIn } from './cities.ts';
import { files } from './files.ts';
import { kitchen } from './kitchen.ts';
import { normalised } from './numbers.ts';
import { shell } from './shell.ts';
import { database, rolesIn } from './shop/database.ts';
import { joinedMoves, pick, type Request, type Skill, type SkillMove } from './skill.ts';
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
  return SKILLED.has(operation) || (operation.startsWith('sqlite.') && rolesIn(normalised(raw)).length > 0);
}

export function skilled(request: Request): SkillMove | undefined {
  return ofParts(request) ?? recognized(request)?.move;
}

interface Recognized {
  readonly skill: Skill;
  readonly move: SkillMove;
}

function recognized(request: Request): Recognized | undefined {
  for (const skill of SKILLS) {
    const move = skill(request);
    if (move !== undefined) return { skill, move };
  }
  return undefined;
}

/** Words with which a further request begins. */
const REQUEST_WORDS =
  "what|what's|how|where|which|when|who|is|are|do|does|tell|show|list|add|put|convert|calculate|work out";
/** What stands between two requests of one goal. */
const BETWEEN_REQUESTS = new RegExp(
  `[?;.]\\s+|,?\\s+(?:and|also|then)(?:\\s+(?:also|then))?\\s+(?=(?:${REQUEST_WORDS})\\b)|(?<=^[\\d\\s().+*/×÷-]+)と|[、。?？]\\s*(?:それと|あと|また|そして|ついでに)?、?`,
  'iu',
);

/**
 * Several requests in one goal, for different skills: "What is 3 * 4, and what is the weather in Osaka?". Each
 * must be recognized, otherwise the goal is read as a whole. A city may be named once for all of them.
 */
function ofParts(request: Request): SkillMove | undefined {
  const parts = request.raw
    .split(BETWEEN_REQUESTS)
    .map((part) => part.trim().replace(/(?<=何時|いくつ|いくら|どう)(?:で|だ|です)$/u, ''))
    .filter((part) => part !== '');
  if (parts.length < 2) return undefined;
  const found = parts.map((part) => recognized(of(part, request)) ?? withCity(part, request));
  const known = found.filter((one) => one !== undefined);
  const areDifferent = new Set(known.map(({ skill }) => skill)).size > 1;
  return known.length === parts.length && areDifferent
    ? joinedMoves(known.map(({ move }) => move))
    : undefined;
}

function of(part: string, request: Request): Request {
  return { ...request, raw: part, text: normalised(part) };
}

function withCity(part: string, request: Request): Recognized | undefined {
  const { text, language } = request;
  const [city, ...others] = citiesIn(text);
  if (city === undefined || others.length > 0 || citiesIn(normalised(part)).length > 0) return undefined;
  const name = text.slice(city.start, city.end);
  return recognized(of(pick(language, `${name}の${part}`, `${part} in ${name}`), request));
}
