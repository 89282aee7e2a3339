export type { AiModel } from './language/options.ts';
export type { Mind, ShownFile, Thinking, Thought } from './mind.ts';
