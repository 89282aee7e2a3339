import type { Answer } from './answer.ts';
import { chatDialect } from './chat-dialect.ts';
import type { Piece } from './piece.ts';
import { responsesDialect } from './responses-dialect.ts';

/** How one API words an answer: as one JSON body, or as the `data` lines of an event stream. */
export interface Dialect {
  body(answer: Answer): object;
  opening(answer: Answer): StreamEvent[];
  piece(answer: Answer, piece: Piece): StreamEvent[];
  closing(answer: Answer): StreamEvent[];
}

export type StreamEvent = object | '[DONE]';

/** The dialect that a client of this path speaks. */
export function dialectOf(path: string): Dialect | undefined {
  if (path === '/v1/chat/completions') return chatDialect;
  if (path === '/v1/responses') return responsesDialect;
  return undefined;
}
