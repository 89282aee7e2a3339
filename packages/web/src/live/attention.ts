/** After so long in the background a page counts as left. */
const LEFT_AFTER_MS = 4_000;

const listeners = new Set<() => void>();
let isLeft = false;
let leaving: ReturnType<typeof setTimeout> | undefined;

/** Whether somebody sees the page, or did so a moment ago. One that is opened in the background has its moment too. */
export function isWatched(): boolean {
  return !isLeft;
}

/** Calls back when the page is left, when somebody looks at it again, and when something was done on it. */
export function onAttention(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Something was done here that may have changed what had come to rest. */
export function lookAgain(): void {
  for (const listener of listeners) listener();
}

function weigh(): void {
  clearTimeout(leaving);
  if (document.hidden) {
    leaving = setTimeout(() => {
      isLeft = true;
      lookAgain();
    }, LEFT_AFTER_MS);
    return;
  }
  isLeft = false;
  lookAgain();
}

document.addEventListener('visibilitychange', weigh);
// Of two windows side by side both are seen; one is looked at.
window.addEventListener('focus', weigh);
weigh();
