import { pick, type Request, resultsOf, type Skill, type SkillMove } from '../skill.ts';
import { expressionIn } from './expression.ts';
import { conversionIn, exchangeIn, geometryIn, partsIn, type Sum, shareIn } from './measures.ts';
import { interestIn, offersIn, rateIn } from './rates.ts';
import { amountsIn } from './word-problem.ts';

const EVALUATE = 'calc.evaluate';

/** A calculation that makes up the whole goal: "What is 15% off 3000?", 10マイルは何キロ？ */
export const arithmetic: Skill = (request) => {
  const two = comparedIn(request.text);
  if (two !== undefined) return compared(two, request);
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
    exchangeIn(text) ??
    geometryIn(text) ??
    partsIn(text) ??
    shareIn(text) ??
    interestIn(text) ??
    amountsIn(text) ??
    rateIn(text);
  return sum === undefined ? undefined : calculated(sum, request);
};

interface Compared {
  readonly sides: readonly [string, string];
  readonly isMore: boolean;
  /** "Which is bigger?" instead of "Is it bigger?" */
  readonly isChoice: boolean;
}

/** "Is 3/8 more than 0.4?", 7/9と0.8ではどちらが大きい？ */
function comparedIn(text: string): Compared | undefined {
  const more = '(bigger|greater|larger|more|higher|smaller|less|lower|大きい|多い|小さい|少ない)';
  const asked =
    new RegExp(`^(?:is|are) (?<a>.+?) (?<how>${more}) than (?<b>.+)$`).exec(text) ??
    new RegExp(`^(?<a>.+?)(?:は|って)(?<b>.+?)より(?:も)?(?<how>${more})`).exec(text);
  const choice =
    new RegExp(`^which (?:one )?is (?<how>${more})[,:]? (?<a>.+?) or (?<b>.+)$`).exec(text) ??
    new RegExp(
      `^(?<a>.+?)と(?<b>.+?)(?:で|では|は|、)*(?:どちら|どっち)(?:の?ほう|の方)?が(?<how>${more})`,
    ).exec(text);
  const { a = '', b = '', how = '' } = (asked ?? choice)?.groups ?? {};
  const [one, other] = [a, b].map((side) =>
    /^-?\d+(?:\.\d+)?$/.test(side.trim()) ? side.trim() : expressionIn(side),
  );
  if (one === undefined || other === undefined) return undefined;
  return { sides: [one, other], isMore: !/smaller|less|lower|小|少/.test(how), isChoice: asked === null };
}

function compared({ sides, isMore, isChoice }: Compared, request: Request): SkillMove | undefined {
  if (!request.has(EVALUATE)) return undefined;
  const found = resultsOf(
    sides.map((expression) => ({ operation: EVALUATE, args: { expression } })),
    request,
  );
  if ('missing' in found) return found.missing;
  const [one = 0, other = 0] = found.results.map(({ result }) => Number(result));
  const sign = one === other ? '=' : one > other ? '>' : '<';
  const shown = `${rounded(String(one)).text} ${sign} ${rounded(String(other)).text}`;
  const isSo = isMore ? one > other : one < other;
  const { language } = request;
  if (one === other)
    return { kind: 'answer', text: pick(language, `同じです（${shown}）。`, `They are equal (${shown}).`) };
  const best = sides[isSo ? 0 : 1].replaceAll(/ (?=[/*])|(?<=[/*]) /g, '');
  const word = isMore ? pick(language, '大きい', 'larger') : pick(language, '小さい', 'smaller');
  const reply = isChoice
    ? pick(language, `${best} のほうが${word}です`, `${best} is ${word}`)
    : isSo
      ? pick(language, 'はい', 'Yes')
      : pick(language, 'いいえ', 'No');
  return { kind: 'answer', text: pick(language, `${reply}（${shown}）。`, `${reply} (${shown}).`) };
}

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
function rounded(digits: string): { readonly text: string; readonly isExact: boolean } {
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
