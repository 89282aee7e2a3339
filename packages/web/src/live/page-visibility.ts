/** After this many milliseconds in the background, the page counts as inactive. */
const LEFT_AFTER_MS = 4_000;

const listeners = new Set<() => void>();
let isLeft = false;
let leaving: ReturnType<typeof setTimeout> | undefined;

/**
 * Whether the page is visible, or was a moment ago. A page opened in the background counts as visible for that
 * moment.
 */
export function isWatched(): boolean {
  return !isLeft;
}

/** Calls back when the page is left, when it becomes visible again, and after `lookAgain`. */
export function onAttention(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called after every mutation: it may have changed a run that had ended. */
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
// Two windows side by side are both visible; the focus says which one is used.
window.addEventListener('focus', weigh);
weigh();
