/** Three times $0.1 is $0.3, and not a little more than is allowed. */
export function dollars(sum: number): number {
  return Number(sum.toFixed(9));
}
