import { expect } from 'vitest';
import type { Terminal } from './terminal.ts';

/** As wide as `openTerminal` makes it. */
const COLUMNS = 200;

/** Waits until what stands on the screen, and has scrolled away above it, matches. */
export async function sees(terminal: Terminal, pattern: RegExp): Promise<void> {
  const look = () => {
    const screen = new Screen(COLUMNS);
    screen.write(terminal.output());
    return screen.lines().join('\n');
  };
  await expect.poll(look, { interval: 20 }).toMatch(pattern);
}

/** What a person sees: enough of a terminal for what we write to one. */
class Screen {
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  readonly #columns: number;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control codes are what is read here
    for (const [part] of text.matchAll(/\u001b\[[?\d;]*[a-zA-Z]|\u001b[=>]|[\s\S]/gu)) {
      if (part.startsWith('\u001b[')) this.#control(part);
      else if (part === '\r') this.#column = 0;
      else if (part === '\n') this.#down();
      else if (part === '\b') this.#column = Math.max(0, this.#column - 1);
      else if (part >= ' ') this.#put(part);
    }
  }

  lines(): string[] {
    return this.#lines.map((line) =>
      Array.from(line, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
  }

  #put(character: string): void {
    const width = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(character)
      ? 2
      : 1;
    if (this.#column + width > this.#columns) {
      this.#column = 0;
      this.#down();
    }
    const line = this.#lines[this.#row] ?? [];
    line[this.#column] = character;
    if (width === 2) line[this.#column + 1] = '';
    this.#column += width;
  }

  #down(): void {
    this.#row++;
    while (this.#lines.length <= this.#row) this.#lines.push([]);
  }

  #control(code: string): void {
    const amount = Number(/\d+/.exec(code)?.[0] ?? 1);
    switch (code.at(-1)) {
      case 'A':
        this.#row = Math.max(0, this.#row - amount);
        return;
      case 'B':
        for (let count = 0; count < amount; count++) this.#down();
        return;
      case 'C':
        this.#column += amount;
        return;
      case 'D':
        this.#column = Math.max(0, this.#column - amount);
        return;
      case 'G':
        this.#column = amount - 1;
        return;
      case 'J':
        this.#lines.length = this.#row + 1;
        this.#lines[this.#row]?.splice(this.#column);
        return;
      case 'K':
        if (code === '\u001b[2K') this.#lines[this.#row] = [];
        else this.#lines[this.#row]?.splice(this.#column);
        return;
      default:
    }
  }
}
