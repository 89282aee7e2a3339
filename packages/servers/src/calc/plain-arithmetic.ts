/**
 * Exact sums, differences, products and quotients of decimals, without mathjs: loading it takes longer than everything
 * else together, and most goals need no more than this. Undefined if the expression holds anything else, or a quotient
 * that has to be rounded.
 */
export function plainArithmetic(expression: string): string | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? [];
  const isPlain = tokens.join('') === expression.replaceAll(' ', '') && !/\d\s+[\d.]/.test(expression);
  if (!isPlain || tokens.length > MOST_TOKENS) return undefined;
  const rest = tokens.values();
  let token = rest.next().value;
  const take = () => {
    const taken = token;
    token = rest.next().value;
    return taken;
  };

  function sum(): Decimal | undefined {
    let left = product();
    while (left !== undefined && (token === '+' || token === '-')) {
      const sign = take() === '+' ? 1n : -1n;
      const right = product();
      left = right && exact(plus(left, { ...right, digits: sign * right.digits }));
    }
    return left;
  }

  function product(): Decimal | undefined {
    let left = factor();
    while (left !== undefined && (token === '*' || token === '/')) {
      const operation = take() === '*' ? times : dividedBy;
      const right = factor();
      left = right && exact(operation(left, right));
    }
    return left;
  }

  function factor(): Decimal | undefined {
    const taken = take();
    if (taken === undefined) return undefined;
    if (taken !== '(') return /^\d/.test(taken) ? decimal(taken) : undefined;
    const inside = sum();
    return take() === ')' ? inside : undefined;
  }

  const value = sum();
  // mathjs multiplies without a sign too: 2(3).
  return value === undefined || token !== undefined ? undefined : write(value);
}

const MOST_TOKENS = 100;
/** Beyond this, mathjs rounds or writes an exponent. */
const MOST_DIGITS = 300;
const MOST_PLACES = 9;
const LARGEST = 10n ** BigInt(MOST_DIGITS);

/** `digits` divided by ten to the power of `places`. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

function decimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), places: fraction.length };
}

function plus(one: Decimal, other: Decimal): Decimal {
  const places = Math.max(one.places, other.places);
  const scaled = ({ digits, places: own }: Decimal) => digits * 10n ** BigInt(places - own);
  return { digits: scaled(one) + scaled(other), places };
}

function times(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, places: one.places + other.places };
}

/** Undefined for a division by zero, and if the quotient does not end within a few decimals. */
function dividedBy(one: Decimal, other: Decimal): Decimal | undefined {
  if (other.digits === 0n) return undefined;
  const dividend = one.digits * 10n ** BigInt(other.places + MOST_PLACES);
  if (dividend % other.digits !== 0n) return undefined;
  let digits = dividend / other.digits;
  let places = one.places + MOST_PLACES;
  for (; places > 0 && digits % 10n === 0n; places -= 1) digits /= 10n;
  return { digits, places };
}

/** mathjs rounds what has more digits, also on the way to the result. */
function exact(value: Decimal | undefined): Decimal | undefined {
  return value === undefined || value.digits > LARGEST || value.digits < -LARGEST ? undefined : value;
}

function write({ digits, places }: Decimal): string | undefined {
  const isNegative = digits < 0n;
  const text = String(isNegative ? -digits : digits).padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const fraction = text.slice(text.length - places).replace(/0+$/, '');
  if (text.length > MOST_DIGITS || fraction.length > MOST_PLACES) return undefined;
  return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
