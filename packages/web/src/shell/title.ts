import { useEffect } from 'react';

/** The title of the browser tab: the number of open questions and what is shown. */
const parts = { waiting: 0, room: '', view: '' };

/** Sets the name of what is shown, such as a goal, instead of the room's name. */
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
  document.title = `${count}${[view || room, 'Dandori'].filter(Boolean).join(' · ')}`;
}
