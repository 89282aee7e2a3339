/** A prompt in which the section under this heading is another one. It ends where the next heading begins. */
export function withSection(prompt: string, heading: string, section: string): string {
  const start = prompt.indexOf(`# ${heading}\n`);
  if (start === -1) throw new Error(`The prompt has no section "${heading}".`);
  const next = prompt.indexOf('\n# ', start);
  return `${prompt.slice(0, start)}${section}\n${next === -1 ? '' : prompt.slice(next)}`.trim();
}
