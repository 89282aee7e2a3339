import { isObject } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import type { Language } from '../../model/text.ts';
import { effect } from '../../model/tool.ts';
import { type DriverTexts, driver as english } from './en/driver.ts';
import { driver as japanese } from './ja/driver.ts';
import { type Catalogue, createTranslate, type Translate } from './translate.ts';

/** The kinds of questions whose text or options Dandori writes. What tools and models wrote stays as it was. */
const OURS: ReadonlySet<Question['kind']> = new Set(['approval', 'plan_approval', 'in_doubt', 'elicitation']);

/**
 * A question in the language of its reader. The journal keeps it in the language of the run. Only the words of
 * Dandori are changed: what a tool says about its call stays.
 */
export function questionIn<T extends Pick<Question, 'kind' | 'text' | 'options' | 'context'>>(
  question: T,
  language: Language,
): T {
  if (!OURS.has(question.kind)) return question;
  const translate = (text: string) => questionTextIn(text, language);
  const { kind, text, options, context } = question;
  return {
    ...question,
    // The text of an elicitation is the server's.
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
function catalogue(from: DriverTexts, to: DriverTexts): Catalogue {
  const sources = templates(from);
  const targets = templates(to);
  return Object.fromEntries(sources.map((source, index) => [source, targets[index] ?? source]));
}

/** A number that stands for any. 1 has a form of its own in English. */
const ANY = 77;

function templates(texts: DriverTexts): string[] {
  const causes = Object.values(texts.causes);
  return [
    ...effect.options.flatMap((one) => [
      texts.mayCall('{1}', one),
      texts.mayCall('{1}', one, '{2}'),
      // What a tool says may end its sentence in another way.
      texts.mayCall('{1}', one, '{2}.').replace('{2}.', '{2}'),
      texts.mayCallAgain('{1}', one, '{2}'),
    ]),
    ...Object.values(texts.reasons).map((reason) => reason('{1}')),
    texts.mayAnswer('{1}'),
    texts.mayAnswer(undefined),
    texts.mayChange('{1}'),
    texts.mayRepeat('{1}'),
    texts.isDone('{1}', ''),
    ...causes.flatMap((cause) => [texts.isDone('{1}', cause), cause]),
    ...[1, ANY].flatMap((count) =>
      [
        texts.mayGoOn(count, '{2}'),
        texts.mayCarryOut(count, true),
        texts.mayCarryOut(count, false),
        texts.isDoneUpTo('{2}', count),
        texts.isOpenInside('{2}', count, '{3}'),
      ].map((text) => text.replaceAll(String(ANY), '{1}')),
    ),
    texts.goOnAfter('{1}'),
    texts.goOnFrom(1),
    texts.callItAgain('{1}', 0),
    texts.callItAgain('{1}', 1),
    texts.allowPattern('{1}'),
    texts.refuseSimilar(ANY).replaceAll(String(ANY), '{1}'),
    ...[texts.allowOnce, texts.allowTool, texts.refuse, texts.stopRun],
    ...[texts.approve, texts.reject, texts.approveForRun, texts.approveCallAlways, texts.approveToolAlways],
    ...[texts.happened, texts.again, texts.giveUp, texts.allDone, texts.done],
  ];
}
