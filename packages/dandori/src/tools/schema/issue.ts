import type { ErrorObject } from 'ajv';
import { type Json, stringifyJson } from '../../model/json.ts';
import { clip, oneOf } from '../../model/text.ts';
import type { SchemaIssue } from '../../model/tool.ts';
import { MOST_ERRORS } from './meter.ts';

/** More issues are useless, and a list with a million wrong rows would give a million. */
const MAX_ISSUES = 10_000;

/** Limits for reporting all errors. Above them, only the first error is reported. */
const MOST_IN_PATHS = 1_000_000;
const MOST_COMPARED = 1_000_000;

/**
 * Whether formatting all errors would take too long. A path is as long as its value is deep, and each error is
 * compared with the choices at its place.
 */
export function isTooMuchToTell(errors: readonly ErrorObject[]): boolean {
  let inPaths = 0;
  for (const { instancePath } of errors) inPaths += instancePath.length;
  return inPaths > MOST_IN_PATHS || errors.length * errors.filter(isChoice).length > MOST_COMPARED;
}

/** Converts ajv's errors for a person or a model: where, what is there, and what should be there. */
export function toIssues(all: readonly ErrorObject[], value: Json): SchemaIssue[] {
  const errors = all.length <= MOST_ERRORS ? all : all.slice(0, MOST_ERRORS);
  return withoutBranches(errors)
    .slice(0, MAX_ISSUES)
    .map((error) => toIssue(error, errors, value));
}

/**
 * If no form of a choice fits, ajv also lists why each form fails. Those are not separate issues, because the
 * value need not fit that form. They go into the message of the choice.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  // Grouped by position, because thousands of rows may each fail a choice.
  const choices = new Map<string, ErrorObject[]>();
  for (const error of errors.filter(isChoice))
    choices.set(error.instancePath, [...(choices.get(error.instancePath) ?? []), error]);
  const kept =
    choices.size === 0
      ? errors
      : errors.filter(
          (error) =>
            !placesAbove(error.instancePath).some((place) =>
              choices.get(place)?.some((choice) => isBranchOf(error, choice)),
            ),
        );
  // `if` only says that `then` or `else` failed. Their own errors say it better.
  const telling = kept.filter((error) => error.keyword !== 'if');
  return telling.length > 0 ? telling : [...kept];
}

/** All prefixes of a JSON Pointer at which a choice can be. */
function placesAbove(pointer: string): string[] {
  const places = [pointer];
  for (let end = pointer.lastIndexOf('/'); end !== -1; end = pointer.lastIndexOf('/', end - 1)) {
    places.push(pointer.slice(0, end));
    if (end === 0) break;
  }
  return places;
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function isBranchOf(error: ErrorObject, choice: ErrorObject): boolean {
  if (error === choice || !error.instancePath.startsWith(choice.instancePath)) return false;
  if (error.schemaPath.startsWith(`${choice.schemaPath}/`)) return true;
  // A branch that is a `$ref` reports errors from its definition, outside the choice.
  const definition = /^#\/(?:\$defs|definitions)\/[^/]+\//.exec(error.schemaPath)?.[0];
  return definition !== undefined && !choice.schemaPath.startsWith(definition);
}

function toIssue(error: ErrorObject, all: readonly ErrorObject[], value: Json): SchemaIssue {
  const property = propertyOf(error);
  return {
    path: toPath(error.instancePath, value),
    keyword: error.keyword === 'unevaluatedProperties' ? 'additionalProperties' : error.keyword,
    // Computed on demand: most issues of a plan are about Refs, and their messages are never read.
    get message() {
      return isChoice(error) ? describeChoice(error, all) : describe(error);
    },
    ...(property !== undefined && { property }),
    ...(isConditional(error) && { isConditional: true }),
  };
}

function isConditional({ keyword, schemaPath }: ErrorObject): boolean {
  return (
    keyword === 'unevaluatedProperties' || /\/(then|else|oneOf|anyOf|dependentSchemas)\//.test(schemaPath)
  );
}

function propertyOf({ params }: ErrorObject): string | undefined {
  const found: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return typeof found === 'string' ? found : undefined;
}

/** In a JSON Pointer, `0` may be an index or a key. Only the value tells which it is. */
function toPath(pointer: string, value: Json): (string | number)[] {
  let current: Json | undefined = value;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(current)) {
        current = current[Number(key)];
        return Number(key);
      }
      current = typeof current === 'object' && current !== null ? current[key] : undefined;
      return key;
    });
}

function describe(error: ErrorObject): string {
  const { keyword, params, data } = error;
  switch (keyword) {
    case 'required':
      return `"${params.missingProperty}" is missing`;
    case 'dependentRequired':
    case 'dependencies':
      return `"${params.missingProperty}" is missing, which "${params.property}" needs`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `"${propertyOf(error)}" is not a known property`;
    case 'type':
      return `must be ${oneOf([params.type].flat().map(withArticle))}, not ${describeValue(data)}`;
    case 'enum':
      return `must be one of ${clip(params.allowedValues.map(show).join(', '), 300)}, not ${show(data)}`;
    case 'const':
      return `must be ${show(params.allowedValue)}, not ${show(data)}`;
    case 'format':
      return `${show(data)} is not a valid ${params.format}`;
    case 'pattern':
      return `${show(data)} does not match the pattern ${clip(params.pattern, 100)}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}, not ${show(data)}`;
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}, not ${show(data)}`;
    case 'minLength':
    case 'maxLength':
      return `must have ${bound(error)} ${params.limit} characters, not ${[...String(data)].length}`;
    case 'minItems':
    case 'maxItems':
      return `must have ${bound(error)} ${params.limit} items, not ${(data as unknown[]).length}`;
    case 'minProperties':
    case 'maxProperties':
      return `must have ${bound(error)} ${params.limit} properties, not ${Object.keys(data as object).length}`;
    case 'uniqueItems':
      return `must not hold the same item twice: items ${params.j} and ${params.i} are equal`;
    case 'not':
      return `${show(data)} has a form that is not allowed`;
    case 'false schema':
      return 'is not allowed here';
    default:
      return error.message ?? `does not fit "${keyword}"`;
  }
}

function bound({ keyword }: ErrorObject): string {
  return keyword.startsWith('min') ? 'at least' : 'at most';
}

function describeChoice(choice: ErrorObject, all: readonly ErrorObject[]): string {
  if (choice.keyword === 'oneOf' && Array.isArray(choice.params.passingSchemas)) {
    return `${show(choice.data)} fits more than one of the forms of which it must fit exactly one`;
  }
  const reasons = all.filter((error) => !isChoice(error) && isBranchOf(error, choice));
  const isOnlyType = reasons.every(
    (error) => error.keyword === 'type' && error.instancePath === choice.instancePath,
  );
  if (reasons.length > 0 && isOnlyType) {
    const types = new Set(reasons.flatMap((error) => [error.params.type].flat()));
    return `must be ${oneOf([...types].map(withArticle))}, not ${describeValue(choice.data)}`;
  }
  const told = new Set(reasons.map((error) => `${within(error, choice)}${describe(error)}`));
  const because = [...told].slice(0, 4).join('; or ');
  return `${show(choice.data)} fits none of the allowed forms${because === '' ? '' : `: ${clip(because, 400)}`}`;
}

function within(error: ErrorObject, choice: ErrorObject): string {
  const rest = error.instancePath.slice(choice.instancePath.length + 1);
  return rest === '' ? '' : `${rest} `;
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return `the ${typeof value === 'bigint' ? 'number' : typeof value} ${show(value)}`;
}

function show(value: unknown): string {
  // A large value must not be serialised in full only to be clipped.
  if (typeof value === 'string') return stringifyJson(clip(value, 60));
  if (typeof value === 'object' && value !== null) return describeValue(value);
  return String(value);
}
