/** An identifier such as 12345678901234567890 would reach a tool as another number. */
export function isRounded(source: string): boolean {
  return /^[-+]?\d+$/.test(source) && !Number.isSafeInteger(Number(source));
}
