import { displayWidth, printable } from './style.ts';

/** A text in lines of a terminal while it is being written. A line that is full stays as it is, so that nothing jumps. */
export class WrittenLines {
  #lines: string[] = [''];
  #columns = 0;

  push(text: string, width: number): void {
    for (const character of printable(text.replaceAll('\t', ' '))) {
      const wide = displayWidth(character);
      if (character === '\n' || this.#columns + wide > width) {
        this.#lines.push('');
        this.#columns = 0;
      }
      if (character === '\n') continue;
      this.#lines[this.#lines.length - 1] += character;
      this.#columns += wide;
    }
  }

  /** The newest, none where nothing was written. */
  last(count: number): string[] {
    return this.#lines.filter((line) => line !== '').slice(-count);
  }

  clear(): void {
    this.#lines = [''];
    this.#columns = 0;
  }
}
