import { isObject } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import type { Language } from '../../model/text.ts';
import { effect } from '../../model/tool.ts';
import { questions as english, type QuestionTexts } from './en/driver.ts';
import { questions as japanese } from './ja/driver.ts';
import { type Catalogue, createTranslate, type Translate } from './translate.ts';

/** Whether Dandori writes the text or the options. What tools and models wrote stays as it was. */
const IS_OURS: Readonly<Record<Question['kind'], boolean>> = {
  approval: true,
  plan_approval: true,
  in_doubt: true,
  // Only the options: the text is the server's.
  elicitation: true,
  ambiguity: false,
  missing_input: false,
};

/**
 * A question in the language of its reader. The journal keeps it in the language of the run. Only the words of
 * Dandori are changed: what a tool says about its call stays.
 */
export function questionIn<T extends Pick<Question, 'kind' | 'text' | 'options' | 'context'>>(
  question: T,
  language: Language,
): T {
  if (!IS_OURS[question.kind]) return question;
  const translate = (text: string) => questionTextIn(text, language);
  const { kind, text, options, context } = question;
  return {
    ...question,
    text: kind === 'elicitation' ? text : translate(text),
    ...(isObject(context) &&
      typeof context.reasoning === 'string' && {
        context: { ...context, reasoning: translate(context.reasoning) },
      }),
    ...(options && { options: options.map((option) => ({ ...option, label: translate(option.label) })) }),
  };
}

/** The text of a question, where it is known only that a run asked it. */
export function questionTextIn(text: string, language: Language): string {
  return translations[language]()(text);
}

const translations: Readonly<Record<Language, () => Translate>> = {
  en: once(() => createTranslate(catalogue(japanese, english))),
  ja: once(() => createTranslate(catalogue(english, japanese))),
};

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Every text with placeholders for its parts. */
function catalogue(from: QuestionTexts, to: QuestionTexts): Catalogue {
  const sources = templates(from);
  const targets = templates(to);
  return Object.fromEntries(sources.map((source, index) => [source, targets[index] ?? source]));
}

/** A number that stands for any. 1 has a form of its own in English. */
const ANY = 77;
const counted = (text: (count: number) => string) =>
  [text(1), text(ANY)].map((one) => one.replaceAll(String(ANY), '{1}'));

/** The texts of questions that are more than a string. */
type Composed = {
  [Key in keyof QuestionTexts]: QuestionTexts[Key] extends string ? never : Key;
}[keyof QuestionTexts];

/** What such a text can be. `tsc` fails if one is missing here. */
const TEMPLATES: Readonly<Record<Composed, (texts: QuestionTexts) => readonly string[]>> = {
  mayCall: ({ mayCall }) =>
    effect.options.flatMap((one) => [
      mayCall('{1}', one),
      mayCall('{1}', one, '{2}'),
      // What a tool says may end its sentence in another way.
      mayCall('{1}', one, '{2}.').replace('{2}.', '{2}'),
    ]),
  titled: ({ mayCall, titled }) => effect.options.map((one) => mayCall(titled('{1}', '{2}'), one)),
  mayCallAgain: ({ mayCallAgain }) => effect.options.map((one) => mayCallAgain('{1}', one, '{2}')),
  mayAnswer: ({ mayAnswer }) => [mayAnswer('{1}'), mayAnswer(undefined)],
  mayChange: ({ mayChange }) => [mayChange('{1}')],
  mayRepeat: ({ mayRepeat }) => [mayRepeat('{1}')],
  mayGoOn: ({ mayGoOn }) => counted((count) => mayGoOn(count, '{2}')),
  mayCarryOut: ({ mayCarryOut }) =>
    [true, false].flatMap((isOutline) => counted((count) => mayCarryOut(count, isOutline))),
  isDone: ({ isDone, causes }) => ['', ...Object.values(causes)].map((cause) => isDone('{1}', cause)),
  isDoneUpTo: ({ isDoneUpTo }) => counted((count) => isDoneUpTo('{2}', count)),
  isOpenInside: ({ isOpenInside }) => counted((count) => isOpenInside('{2}', count, '{3}')),
  causes: ({ causes }) => Object.values(causes),
  reasons: ({ reasons }) => Object.values(reasons).map((reason) => reason('{1}')),
  goOnAfter: ({ goOnAfter }) => [goOnAfter('{1}')],
  goOnFrom: ({ goOnFrom }) => [goOnFrom(1)],
  callItAgain: ({ callItAgain }) => [callItAgain('{1}', 0), callItAgain('{1}', 1)],
  allowPattern: ({ allowPattern }) => [allowPattern('{1}')],
  refuseSimilar: ({ refuseSimilar }) => [refuseSimilar(ANY).replaceAll(String(ANY), '{1}')],
  allowListed: ({ allowListed }) => [allowListed(ANY).replaceAll(String(ANY), '{1}')],
};

function templates(texts: QuestionTexts): string[] {
  const names = Object.keys(english) as (keyof QuestionTexts)[];
  return names.flatMap((name) => {
    const text = texts[name];
    return typeof text === 'string' ? text : TEMPLATES[name as Composed](texts);
  });
}
