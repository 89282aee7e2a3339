import type { ServerResponse } from 'node:http';
import { DandoriError } from '../domain/error.ts';

/** How many streams each user has open: every one of them keeps a connection and what waits for it. */
export interface StreamPlaces {
  /** Held until the response is closed. Without tokens all are one user, who has no name. */
  take(user: string | undefined, response: ServerResponse): void;
}

export function createStreamPlaces(most: number): StreamPlaces {
  const taken = new Map<string | undefined, number>();
  return {
    take(user, response) {
      const open = taken.get(user) ?? 0;
      if (open >= most)
        throw new DandoriError('too-many-requests', `You follow ${open} runs and conversations already.`, {
          fix: 'Close a stream that is not read any more, or raise server.max_streams.',
        });
      taken.set(user, open + 1);
      response.once('close', () => {
        const left = (taken.get(user) ?? 1) - 1;
        if (left === 0) taken.delete(user);
        else taken.set(user, left);
      });
    },
  };
}
