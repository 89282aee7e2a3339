export const TASKS: number;
export function send(folder: string, index: number): Promise<void>;
export function effectsIn(folder: string): number[];
