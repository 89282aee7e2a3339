import type { Brief, Progress } from '../../domain/brief.ts';
import type { Purpose } from '../../domain/event.ts';
import type { Loop } from '../../domain/loop.ts';
import { readPrompt } from '../prompts/read.ts';

/**
 * What a decision is asked for, in words. It depends on nothing but what was journaled with the decision, so that a
 * later prompt repeats it as it was. `act` alone needs no words: the instructions say what to do next.
 */
export function writeBrief(purpose: Purpose, brief: Brief = {}): string[] {
  const { progress, loop, reflect, revisionsLeft, steps = [], report = [], isContinued } = brief;
  const parts = [
    isContinued === true ? 'The user has raised the limits of this run. Go on with the goal.' : undefined,
    progress && tellProgress(progress, purpose),
    loop && tellLoop(loop),
    reflect && readPrompt(`reflect-${reflect}`),
    report.length === 0 ? undefined : `${readPrompt('report')} Steps to report: ${report.join(', ')}.`,
    revisionsLeft === undefined ? undefined : `Revisions left: ${revisionsLeft}.`,
    purpose === 'act' ? undefined : [readPrompt(`purpose-${purpose}`), ...named(steps)].join(' '),
  ];
  const text = parts.filter((part) => part !== undefined).join('\n');
  return text === '' ? [] : [text];
}

function named(steps: readonly string[]): string[] {
  return steps.length === 0 ? [] : [steps.join(', ')];
}

/** The steps that actions are asked for are named with that. */
function tellProgress({ done, total, current = [], failed = [] }: Progress, purpose: Purpose): string {
  const parts = [
    `Progress: ${done} of ${total} steps done`,
    ...(current.length > 0 && purpose !== 'generate' ? [`now: ${current.join(', ')}`] : []),
    ...(failed.length > 0 ? [`failed: ${failed.join(', ')}`] : []),
  ];
  return `${parts.join('; ')}.`;
}

const CIRCLES: Readonly<Record<Loop['kind'], string>> = {
  same_result: 'The same call gave the same result again',
  same_failure: 'The same call failed again',
  ping_pong: 'The same two turns follow each other again and again',
  no_progress: 'Nothing has succeeded for several turns',
};

function tellLoop({ kind, tasks }: Loop): string {
  return `${CIRCLES[kind]} (${tasks.join(', ')}). ${readPrompt('loop')}`;
}
