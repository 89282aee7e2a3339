import { pick, type Request, resultsOf, type Skill, type SkillMove } from '../skill.ts';
import { expressionIn } from './expression.ts';
import { conversionIn, partsIn, type Sum, shapeIn, shareIn } from './measures.ts';
import { interestIn, offersIn, rateIn } from './rates.ts';
import { amountsIn } from './word-problem.ts';

const EVALUATE = 'calc.evaluate';

/** A calculation that makes up the whole goal: "What is 15% off 3000?", 10マイルは何キロ？ */
export const arithmetic: Skill = (request) => {
  const expression = expressionIn(request.text);
  const sum = expression === undefined ? conversionIn(request.text) : written(expression, request.text);
  return sum === undefined ? undefined : calculated(sum, request);
};

/** A calculation told in sentences: prices, shares, rates, areas. */
export const wordProblem: Skill = (request) => {
  const { text } = request;
  const offers = offersIn(text);
  if (offers !== undefined) return cheapest(offers, request);
  const sum =
    shapeIn(text) ?? partsIn(text) ?? shareIn(text) ?? interestIn(text) ?? amountsIn(text) ?? rateIn(text);
  return sum === undefined ? undefined : calculated(sum, request);
};

function written(expression: string, text: string): Sum {
  const [, plain = expression, sign] = /^(.*?) ([%割])$/.exec(expression) ?? [];
  if (sign !== undefined) return { expression: plain, unit: [sign, sign] };
  return /\d\s*円/.test(text) ? { expression, unit: ['円', ''] } : { expression };
}

function calculated({ expression, unit = ['', ''] }: Sum, request: Request): SkillMove | undefined {
  if (!request.has(EVALUATE)) return undefined;
  const found = resultsOf([{ operation: EVALUATE, args: { expression } }], request);
  if ('missing' in found) return found.missing;
  const { language } = request;
  const { text, isExact } = rounded(String(found.results[0]?.text ?? found.results[0]?.result));
  const shown = expression.replaceAll(' * ', ' × ').replaceAll(' / ', ' ÷ ');
  const about = isExact ? '=' : '≈';
  const result = `${text}${pick(language, unit[0], unit[1])}`;
  return { kind: 'answer', text: shown === text ? result : `${shown} ${about} ${result}` };
}

/** At most two decimals, or four digits of a small number. */
export function rounded(digits: string): { readonly text: string; readonly isExact: boolean } {
  const [, decimals = ''] = digits.split('.');
  const value = Number(digits);
  if (decimals.length <= 4 || !Number.isFinite(value)) return { text: digits, isExact: true };
  const text = Math.abs(value) >= 1 ? value.toFixed(2) : value.toPrecision(4);
  return { text: text.replace(/\.?0+$/, ''), isExact: false };
}

function cheapest(
  offers: readonly { readonly label: string; readonly expression: string }[],
  request: Request,
): SkillMove | undefined {
  if (!request.has(EVALUATE)) return undefined;
  const found = resultsOf(
    offers.map(({ expression }) => ({ operation: EVALUATE, args: { expression } })),
    request,
  );
  if ('missing' in found) return found.missing;
  const { language } = request;
  const priced = found.results
    .map(({ result }, index) => ({ label: offers[index]?.label ?? '', price: Number(result) }))
    .toSorted((one, other) => one.price - other.price);
  const list = priced
    .map(({ label, price }) => `${label} ${rounded(String(price)).text}`)
    .join(pick(language, '、', ', '));
  const [best, second] = priced;
  if (best?.price === second?.price)
    return {
      kind: 'answer',
      text: pick(language, `どちらも同じ単価です（${list}）。`, `Both cost the same per unit (${list}).`),
    };
  return {
    kind: 'answer',
    text: pick(
      language,
      `${best?.label}のほうがお得です（1単位あたり：${list}）。`,
      `${best?.label} is the better deal (price per unit: ${list}).`,
    ),
  };
}
