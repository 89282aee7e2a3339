import type { BlobHandle } from '../domain/blob.ts';
import type { Event } from '../domain/event.ts';

/** The stored result that an event refers to, where it does. */
export function blobOf(event: Event): BlobHandle | undefined {
  return event.type === 'task_succeeded' || event.type === 'probe_ended' ? event.data.blob : undefined;
}
