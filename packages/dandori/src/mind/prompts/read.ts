import { readFileSync } from 'node:fs';
import type { Settings } from '../../model/settings.ts';

export type PromptName =
  | 'system'
  | 'output-tools'
  | 'about-tools'
  | 'task-fields-tools'
  | 'task-fields-auto-tools'
  | 'refs'
  | 'mode-auto'
  | 'mode-direct'
  | 'mode-adaptive'
  | 'mode-planned'
  | 'mode-hierarchical'
  | 'planning'
  | 'planning-auto'
  | 'planning-auto-tools'
  | 'planning-tools'
  | 'whole-fields'
  | 'action-fields'
  | 'open-list'
  | 'purpose-generate'
  | 'generate-again'
  | 'purpose-answer'
  | 'purpose-conclude'
  | 'reflect-error'
  | 'reflect-interval'
  | 'reflect-again'
  | 'reflect-revise'
  | 'plan-made'
  | 'plan-made-auto'
  | 'plan-made-auto-tools'
  | 'call-failed'
  | 'criteria'
  | 'loop'
  | 'unmet'
  | 'conversation'
  | 'conversation-plans'
  | 'answer-output'
  | 'report'
  | 'announce'
  | 'extract'
  | `strategy-${NonNullable<Settings['planning']>['strategy']}`
  | `decomposition-${NonNullable<Settings['planning']>['decomposition']}`;

const read = new Map<PromptName, string>();

/** The text of a prompt file in this folder. Read once, because a prompt must not change within a run. */
export function readPrompt(name: PromptName): string {
  const known = read.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`./${name}.md`, import.meta.url), 'utf8').trim();
  read.set(name, text);
  return text;
}

/** Replaces the section under this heading, up to the next heading. */
export function withSection(prompt: string, heading: string, section: string): string {
  const start = prompt.indexOf(`# ${heading}\n`);
  if (start === -1) throw new Error(`The prompt has no section "${heading}".`);
  const next = prompt.indexOf('\n# ', start);
  return `${prompt.slice(0, start)}${section}\n${next === -1 ? '' : prompt.slice(next)}`.trim();
}
