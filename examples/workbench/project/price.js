/** The price after a discount in percent, in whole yen. Half a yen is rounded up. */
export function discounted(price, percent) {
  return Math.round((price * (100 - percent)) / 100);
}
