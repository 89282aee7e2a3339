export type { AiModel } from './language/options.ts';
export type { Mind, Thinking, Thought } from './mind.ts';
