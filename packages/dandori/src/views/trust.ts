import type { TrustAbout } from '../model/question.ts';
import type { Words } from './texts/en/words.ts';

/** Why a call is asked about, then each argument with the place where its value was read. */
export function trustLines({ because, values }: TrustAbout, { trust: say }: Pick<Words, 'trust'>): string[] {
  const lines = values.map(({ argument, value, task, operation, quote, isInGoal }) => {
    const found = [
      ...(isInGoal === true ? [say.goal] : []),
      ...(task === undefined ? [] : [say.from(task, operation ?? '', quote)]),
      ...(task === undefined && operation !== undefined ? [say.offered(operation)] : []),
    ];
    return `${argument} = ${value} (${found.length === 0 ? say.unknown : found.join('; ')})`;
  });
  return [say.because[because], ...lines];
}
