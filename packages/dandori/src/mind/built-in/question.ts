import type { Problem } from './draft.ts';
import type { Language } from './goal.ts';

/** Also how an answer is found again: the same tool and parameter always give the same question. */
export function questionAbout(
  { card, parameter }: Pick<Problem, 'card' | 'parameter'>,
  language: Language,
): string {
  const { name } = card.tool;
  const about = parameter.description.replace(/\s+/g, ' ').slice(0, 100).trim();
  if (language === 'ja')
    return `${name} に渡す「${parameter.name}」は何ですか？${about === '' ? '' : `（${about}）`}`;
  return `What should ${name} use as "${parameter.name}"?${about === '' ? '' : ` (${about})`}`;
}

export function choiceQuestion(
  { card, parameter }: Pick<Problem, 'card' | 'parameter'>,
  language: Language,
): string {
  const { name } = card.tool;
  return language === 'ja'
    ? `${name} の「${parameter.name}」はどれですか？`
    : `Which "${parameter.name}" do you mean for ${name}?`;
}
