import type { BlobHandle } from '../domain/blob.ts';
import type { Event } from '../domain/event.ts';

/** The stored result that an event refers to, where it does. */
export function blobOf(event: Event): BlobHandle | undefined {
  switch (event.type) {
    case 'task_succeeded':
    case 'inner_call_ended':
    case 'probe_ended':
      return event.data.blob;
    default:
      return undefined;
  }
}
