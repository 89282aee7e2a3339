import type { Language } from '../../core/language.ts';
import { type Value, valuesIn } from './values.ts';
import { overlaps, type Word, wordsOf } from './words.ts';

/** A goal, read: its words, and the values whose form says what they are. */
export interface Goal {
  /** With narrow digits and signs; as long as `raw`, so that places in one are places in the other. */
  readonly text: string;
  readonly raw: string;
  readonly language: Language;
  readonly words: readonly Word[];
  readonly values: readonly Value[];
  /** It orders something; without that nothing is changed. */
  readonly isOrder: boolean;
}

/** No goal that this planner can solve is longer, and a megabyte of text must not cost seconds. */
const LONGEST = 4_000;

export function readGoal(goal: string, language: Language): Goal {
  const raw = goal.slice(0, LONGEST);
  const text = raw.replace(/[\uff01-\uff5e\u3000]/g, (wide) => wide.normalize('NFKC'));
  const values = valuesIn(text, raw);
  return {
    text,
    raw,
    language,
    words: wordsOf(text).filter((word) => !values.some((value) => overlaps(value, word))),
    values,
    isOrder: goal.length <= LONGEST && isOrder(text, values),
  };
}

/**
 * Whether the goal orders something, as a change needs. The planner knows words and no grammar, so whatever could turn
 * the meaning round (a denial, a condition, a question, a report) is taken to do so, and nothing is changed.
 */
function isOrder(text: string, values: readonly Value[]): boolean {
  // What is quoted is something to pass on, and says nothing about what to do.
  const quoted = values.filter(({ kind }) => kind === 'quoted');
  const own = quoted.reduce(
    (rest, { start, end }) => rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end),
    text,
  );
  return !TURNING.test(own) && (REQUEST.test(own) || !(QUESTION.test(own) || REPORT.test(own)));
}

const TURNING =
  /\b(?:not?|never|none|nothing|without|except|but|instead|rather|unless|if|whether|until|avoid|stop|undo|cancel|keep|cannot)\b|n['’]t\b|\bdont\b|ない|なく|なかっ|ません|ぬよう|ずに|以外|除い|除く|除き|もし|なら|たら|場合|まで待|やめ|止め|取り消|禁止|だけど|けれど|しかし/i;
const REQUEST =
  /^\W*(?:please\s+)?(?:can|could|would|will) you\b|\bi(?:'d| would)? (?:like|want|need) (?:you )?to\b|[てで](?:くれ|もらえ|いただけ|頂け|くださ|下さ|ほしい|欲しい)/i;
const QUESTION =
  /[?？]|^\W*(?:how|why|should|shall|did|do|does|what|which|when|who|where|is|are|was|were|has|have|can|may|must)\b|(?:べき|方法|か)[。.\s]*$/i;
const REPORT =
  /\b(?:i|we|he|she|they|you|it|was|were|has been|have been|already)\b|(?:した|された|ている|ていた|済み|予定)[。.!！\s]*$/i;
