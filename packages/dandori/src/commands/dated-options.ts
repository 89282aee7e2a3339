const SOONER =
  /(?:賞味|消費)?期限が?(?:一番)?(?:近い|早い|短い|先に切れる)|早く(?:切れる|期限が来る)|先に切れる|古い|expir(?:es|ing)? (?:first|sooner|soonest|earlier|earliest)|(?:goes|going) (?:off|bad) (?:first|sooner)|older|oldest|earlier|earliest|soonest/u;
const LATER =
  /(?:賞味|消費)?期限が?(?:一番)?(?:遠い|遅い|長い|先の)|新しい|expir(?:es|ing)? (?:last|later|latest)|newer|newest|later|latest/u;
const AROUND =
  /の?(?:方|ほう|もの|やつ|ほうの)|\b(?:the|one|that|which|with|date|please)\b|[のでをがは、。.\s]/gu;

/** "The one that expires first", 「期限が近い方」: the option with the first date, if every label has one. */
export function byDate<T extends { readonly label: string }>(
  said: string,
  options: readonly T[],
): T | undefined {
  const wanted = [SOONER, LATER].find((form) => said.replace(form, '').replaceAll(AROUND, '') === '');
  const dated = options.map((option) => ({ option, days: option.label.match(/\d{4}-\d{2}-\d{2}/g) ?? [] }));
  if (wanted === undefined || !wanted.test(said) || dated.some(({ days }) => days.length !== 1))
    return undefined;
  const sorted = dated.toSorted((one, other) => String(one.days[0]).localeCompare(String(other.days[0])));
  const [first, second] = wanted === SOONER ? sorted : sorted.toReversed();
  return first?.days[0] === second?.days[0] ? undefined : first?.option;
}
