// What turns the direction of all that follows; marks that stand for one letter may stay.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** What turns the direction in which a text is read is seen as a sign instead, so that a call reads as it is. */
export function unturned(text: string): string {
  return text.replaceAll(TURNS, '\ufffd');
}
