import { useEffect } from 'react';
import { unturned } from '#dandori/model/text.ts';

/** What the tab of the browser says: how many questions wait, and what is shown. */
const parts = { waiting: 0, room: '', view: '' };

/** The name of what is shown, such as a goal; said in place of the room's. */
export function useTitle(title: string): void {
  useEffect(() => {
    show({ view: title });
    return () => show({ view: '' });
  }, [title]);
}

export function useRoomTitle(room: string, waiting: number): void {
  useEffect(() => show({ room, waiting }), [room, waiting]);
}

function show(change: Partial<typeof parts>): void {
  const { waiting, room, view } = Object.assign(parts, change);
  const count = waiting > 0 ? `(${waiting}) ` : '';
  document.title = unturned(`${count}${[view || room, 'Dandori'].filter(Boolean).join(' · ')}`);
}
