/*
 * Numbers as the journal stores them: integers are exact, beyond 2^53 as bigints.
 */

/** Finds a number that `parseJson` never returns: another program computed it and may have rounded it. */
export function roundedIn(value: unknown): number | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const found = roundedIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Parses a number that a user typed. An integer is exact. Undefined if the text is not a number. */
export function numberFrom(text: string): number | bigint | undefined {
  const source = text.trim().replace(/^\+/, '');
  if (source === '' || Number.isNaN(Number(source))) return undefined;
  // `0x1f` is an integer too.
  const digits = /^0[a-z]/i.test(source) && source.length < MOST_DIGITS ? String(BigInt(source)) : source;
  return numberOf(digits) ?? undefined;
}

/** The integer as a number if that is exact; otherwise undefined. */
export function exactNumber(value: bigint): number | undefined {
  const number = Number(value);
  return Number.isFinite(number) && BigInt(number) === value ? number : undefined;
}

/** More digits than any key or hash written as a number, and few enough to parse quickly. */
const MOST_DIGITS = 2_500;
/** From here on a number is written with an exponent, and so is read as a number again. */
const LEAST_WITH_EXPONENT = 1e21;

/** A number in a text as the journal stores it. Null if it overflows. */
export function numberOf(source: string): number | bigint | null {
  const number = Number(source);
  // −0 becomes 0, because JSON writes it as 0.
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  if (source.length > MOST_DIGITS) return finite(number);
  return /^-?\d+$/.test(source) ? BigInt(source) : (integerOf(source) ?? finite(number));
}

function finite(number: number): number | bigint | null {
  if (!Number.isFinite(number)) return null;
  return isWrittenAsDecimal(number) ? number : BigInt(number);
}

/** Whether JSON writes the number so that it is read as a number again, and not as an integer. */
export function isWrittenAsDecimal(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Math.abs(number) >= LEAST_WITH_EXPONENT);
}

/**
 * The integer value of texts such as `9007199254740993.0` and `9.007199254740993e15`. Undefined if it is not
 * an integer or is too large.
 */
function integerOf(source: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  if (sign === undefined) return undefined;
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0 || end + zeros > 21) return undefined;
  return BigInt(`${sign}${digits.slice(0, end)}${'0'.repeat(zeros)}`);
}
