/**
 * Lets this process live at a time of its own, so that the pictures have the same dates whenever they are taken. Servers that it
 * starts are given it by `--import`, with the time in their environment.
 */
const RealDate = Date;
let offset = 0;

class MovedDate extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(MovedDate.now());
    else super(...given);
  }

  static override now(): number {
    return RealDate.now() + offset;
  }
}
globalThis.Date = MovedDate as DateConstructor;

export function moveClock(time: number): void {
  offset = time - RealDate.now();
}

if (process.env.PICTURES_TIME !== undefined) moveClock(Number(process.env.PICTURES_TIME));
