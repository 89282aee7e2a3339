import type { ServerContext } from '@modelcontextprotocol/server';
import { languageOf } from './meta.ts';

/** An error that the user may read. Without a word from the host about the language, it is said in `otherwise`. */
export class SaidError extends Error {
  readonly said: { readonly en: string; readonly ja: string };

  constructor(said: { readonly en: string; readonly ja: string }, otherwise: 'en' | 'ja' = 'en') {
    super(said[otherwise]);
    this.said = said;
  }
}

/** Lets a tool throw a `SaidError`, and says it in the language of the user. */
export function spoken<Input, Result>(
  tool: (input: Input, context: ServerContext) => Result | Promise<Result>,
): (input: Input, context: ServerContext) => Promise<Result> {
  return async (input, context) => {
    try {
      return await tool(input, context);
    } catch (error) {
      const language = languageOf(context);
      throw error instanceof SaidError && language !== undefined ? new Error(error.said[language]) : error;
    }
  };
}
