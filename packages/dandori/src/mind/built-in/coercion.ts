import type { Json } from '../../domain/json.ts';
import type { Parameter } from './parameter.ts';
import { typeOf } from './schema.ts';

/** What a person answered, brought to the parameter's type. */
export function coerced({ schema, choices }: Parameter, value: Json): Json | undefined {
  const type = typeOf(schema);
  if (choices.length > 0)
    return choices.find((choice) => String(choice).toLowerCase() === String(value).toLowerCase());
  if (type === 'number' || type === 'integer') {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined;
  }
  if (type === 'boolean')
    return typeof value === 'boolean' ? value : /^(?:true|yes|y|はい)$/i.test(String(value));
  if (type === 'array') return Array.isArray(value) ? value : String(value).split(/\s*[,、]\s*/);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
