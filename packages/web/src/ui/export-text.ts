import { toRaw } from '../shell/shown-text.ts';

/** Copies a text as it was written. Fails where the browser does not allow it. */
export function copyText(text: string): Promise<void> {
  return navigator.clipboard.writeText(toRaw(text));
}

/** Saves a text as it was written, as a file. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([toRaw(text)], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
