export type { Mind, Thinking, Thought } from './mind.ts';
