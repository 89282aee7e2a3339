import { useMutation } from '@tanstack/react-query';
import type { Json } from '#dandori/model/json.ts';
import { useClient } from '../../shell/session.tsx';

export interface Reply {
  /** Undefined where the person will not say. */
  readonly answer?: Json;
  readonly comment?: string;
}

/** Sends what a person said to a question. The question goes when the run tells that it is answered. */
export function useReply(run: string, question: string, onSent: (isSent: boolean) => void) {
  const client = useClient();
  return useMutation({
    mutationFn: ({ answer, comment }: Reply) =>
      client.answer(run, question, answer ?? null, {
        ...(answer === undefined && { declined: true }),
        ...(comment !== undefined && comment.trim() !== '' && { comment: comment.trim() }),
      }),
    onMutate: () => onSent(true),
    onError: () => onSent(false),
  });
}
