import type { Goal } from './goal.ts';

/**
 * Whether the goal orders something, as a change needs. The planner knows words and no grammar, so whatever could turn
 * the meaning round (a denial, a condition, a question, a report) is taken to do so, and nothing is changed.
 */
export function isOrder(goal: Goal): boolean {
  const text = withoutQuotes(goal);
  if (goal.isCut || TURNING.test(text)) return false;
  if (REQUEST.test(text)) return true;
  return !QUESTION.test(text) && !REPORT.test(text);
}

const TURNING = new RegExp(
  [
    String.raw`\b(?:not|no|never|none|nothing|without|except|but|instead|rather|unless|if|whether|until|avoid|stop|undo|cancel|keep|cannot)\b`,
    String.raw`n['’]t\b|\bdont\b`,
    'ない|なく|なかっ|ません|ぬよう|ずに|以外|除い|除く|除き|もし|なら|たら|場合|まで待|やめ|止め|取り消|禁止|だけど|けれど|しかし',
  ].join('|'),
  'i',
);

const REQUEST =
  /^\W*(?:please\s+)?(?:can|could|would|will) you\b|\bi(?:'d| would)? (?:like|want|need) (?:you )?to\b|[てで](?:くれ|もらえ|いただけ|頂け|くださ|下さ|ほしい|欲しい)/i;

const QUESTION =
  /[?？]|^\W*(?:how|why|should|shall|did|do|does|what|which|when|who|where|is|are|was|were|has|have|can|may|must)\b|(?:べき|方法|か)[。.\s]*$/i;

const REPORT =
  /\b(?:i|we|he|she|they|you|it|was|were|has been|have been|already)\b|(?:した|された|ている|ていた|済み|予定)[。.!！\s]*$/i;

/** What is quoted is something to pass on, and says nothing about what to do. */
function withoutQuotes({ text, values }: Goal): string {
  const quoted = values.filter(({ kind }) => kind === 'quoted');
  return quoted.reduce(
    (rest, { start, end }) => rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end),
    text,
  );
}
