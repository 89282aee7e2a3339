import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Takes away what earlier measurements left, so that the next one does not pay for it. */
export const collectGarbage: () => void = runInNewContext('gc');
