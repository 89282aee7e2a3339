export type { AiModel } from './language/options.ts';
export type { Mind, Picture, Thinking, Thought } from './mind.ts';
