import { isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Option, Question } from '../../model/question.ts';
import { clip } from '../../model/text.ts';
import type { SchemaCheck } from '../../model/tool.ts';

/** Longer lists are cut, because a person cannot choose from them. */
const MOST_OPTIONS = 50;
const LONGEST_LABEL = 500;
/** Characters of the form as JSON. */
const LONGEST_FORM = 10_000;
const MOST_FIELDS = 50;

type Asked = Pick<Question, 'text' | 'options' | 'form' | 'default'>;

/**
 * Reads the usable parts of a question. An invalid form or invalid options are dropped, and the person
 * answers in text. Refusing the decision would only cost another model call.
 */
export function readQuestion(args: JsonObject, check: SchemaCheck): Asked {
  const { question: text, form: wanted, options: choices, default: fallback } = args;
  const form = readForm(wanted, check);
  const options = form === undefined ? readOptions(choices) : [];
  const asked: Asked = {
    text: typeof text === 'string' && text.trim() !== '' ? text : stringifyJson(args),
    ...(options.length > 0 && { options }),
    ...(form !== undefined && { form }),
  };
  return fits(fallback, asked, check) ? { ...asked, default: fallback } : asked;
}

/** Whether the answer is one of the options, or matches the form. */
export function fits(
  answer: Json | undefined,
  { options, form }: Pick<Question, 'form'> & { readonly options?: readonly Option[] | undefined },
  check: SchemaCheck,
): answer is Json {
  if (answer === undefined || answer === null) return false;
  if (form !== undefined) return check(form, answer).length === 0;
  if (options === undefined || options.length === 0) return true;
  return options.some(({ value }) => stringifyJson(value) === stringifyJson(answer));
}

function readOptions(options: Json | undefined): Option[] {
  if (!Array.isArray(options)) return [];
  const different = new Map<string, Option>();
  for (const option of options) {
    const read = option === null || option === '' ? undefined : toOption(option);
    const key = stringifyJson(read?.value);
    if (read !== undefined && !different.has(key)) different.set(key, read);
    if (different.size === MOST_OPTIONS) break;
  }
  return [...different.values()];
}

function toOption(option: Json): Option {
  if (isObject(option) && typeof option.label === 'string' && option.label !== '')
    return { label: clip(option.label, LONGEST_LABEL), value: option.value ?? option.label };
  if (typeof option === 'string') return { label: clip(option, LONGEST_LABEL), value: option };
  return { label: clip(stringifyJson(option), LONGEST_LABEL), value: option };
}

const KEYWORDS = [
  'type',
  'properties',
  'enum',
  'const',
  '$ref',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'required',
];

/** Some models write only the fields. Others forget `"type": "object"`. */
function readForm(form: Json | undefined, check: SchemaCheck): JsonObject | undefined {
  if (!isObject(form) || Object.keys(form).length === 0) return undefined;
  const isSchema = KEYWORDS.some((keyword) => Object.hasOwn(form, keyword));
  const isFieldsAlone = !isSchema && Object.values(form).every(isObject);
  if (!isSchema && !isFieldsAlone) return undefined;
  const whole: JsonObject = isFieldsAlone
    ? { type: 'object', properties: form, required: Object.keys(form) }
    : { ...(form.properties !== undefined && { type: 'object' }), ...form };
  const { properties = {} } = whole;
  const isSmall = isObject(properties) && Object.keys(properties).length <= MOST_FIELDS;
  if (!isSmall || stringifyJson(whole).length > LONGEST_FORM) return undefined;
  return check.problem?.(whole) === undefined ? whole : undefined;
}
