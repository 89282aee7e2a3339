import { problems as english, type Problems } from '#dandori/views/texts/en/problems.ts';
import { problems as japanese } from '#dandori/views/texts/ja/problems.ts';
import type { Texts } from '../shell/language.tsx';

/** The names of failures, errors and problems of a plan, shared with the command line. */
export const texts: Texts<Problems> = { en: english, ja: japanese };
