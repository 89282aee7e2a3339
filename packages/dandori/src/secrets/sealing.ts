import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { type Json, type JsonObject, stringifyJson, valueAt } from '../model/json.ts';
import { createSealing, holdsMark, type Sealing, shown } from '../model/redact.ts';
import type { SchemaCheck, SchemaIssue } from '../model/tool.ts';
import type { Work } from '../model/work-budget.ts';
import { type FilledRefs, fillRefs } from '../plan/fill-refs.ts';
import type { Journal } from '../store/index.ts';
import { createOpaque, type Opaque } from './opaque.ts';

const HASH_LENGTH = 32;
const NONCE_LENGTH = 32;
/** Without a store, nothing outlives the process, so a temporary key is enough. */
const ownKey = randomBytes(32).toString('hex');
const made = new WeakMap<readonly string[], Sealing>();

/** The inputs of sealing. */
export interface Secrets {
  /** Values that are never journaled. */
  readonly secrets: readonly string[];
  /** The key of the store. With it a journal identifies a secret without containing it. */
  readonly storeKey?: (() => string) | undefined;
}

/**
 * Seals these secrets under the key of the store. Without the key, a short password can't be guessed from a
 * journal.
 */
export function sealingOf({ secrets, storeKey }: Secrets): Sealing {
  const known = made.get(secrets);
  if (known !== undefined) return known;
  const sealing = createSealing(secrets, (secret) =>
    createHmac('sha256', storeKey === undefined ? ownKey : storeKey())
      .update(secret)
      .digest('hex')
      .slice(0, HASH_LENGTH),
  );
  made.set(secrets, sealing);
  return sealing;
}

/** Replaces secrets by random tokens, which no existing text can contain. */
export function opaqueForOnce(): Opaque {
  return createOpaque(() => Array.from({ length: NONCE_LENGTH }, () => randomInt(10)).join(''));
}

/** Fills Refs of sealed arguments with sealed results. An expression can't read a secret or build a mark. */
export function fillSealedRefs(
  args: JsonObject,
  resultOf: (task: string) => Json | undefined,
  work?: Work,
): FilledRefs {
  const opaque = opaqueForOnce();
  const hidden = opaque.hide(args);
  const injected = fillRefs(hidden, (task) => opaque.hide(resultOf(task)), work);
  const cut: string[] = [];
  if (!injected.ok) return { ok: false, problems: opaque.reveal(injected.problems) };
  if (injected.args === hidden) return { ok: true, args };
  const filled = opaque.reveal(injected.args, () => cut.push('an expression takes a secret apart'));
  const [message] = cut;
  return message === undefined
    ? { ok: true, args: filled }
    : { ok: false, problems: [{ path: [], message }] };
}

/** A journal for display: secrets are shown as `[secret]`. */
export function asShown(journal: Journal): Pick<Journal, 'read' | 'first' | 'list' | 'watch'> {
  return {
    read: async (run, after) => shown(await journal.read(run, after)),
    first: async (run) => shown(await journal.first(run)),
    list: async (options) => shown(await journal.list(options)),
    watch: (run, changed) => journal.watch(run, changed),
  };
}

/** The same parts, with a check of the arguments as they will be sent. */
export function withOpenedCheck<P extends Secrets & { readonly check: SchemaCheck }>(parts: P): P {
  return { ...parts, check: checkOpened(parts.check, sealingOf(parts)) };
}

/** Checks the arguments as they will be sent. The messages contain no secrets. */
export function checkOpened(check: SchemaCheck, sealing: Sealing): SchemaCheck {
  const checked = (schema: JsonObject, value: Json, work?: Work): readonly SchemaIssue[] => {
    if (!holdsMark(value)) return check(schema, value, work);
    const told = check(schema, value, work);
    const opened = sealing.open(value);
    // Without the secret, the text around it can't be checked.
    if (opened === undefined) return told.filter(({ path }) => !holdsMark(valueAt(value, path)));
    return check(schema, opened, work).map((issue) => {
      const path = sealing.seal(issue.path);
      const place = stringifyJson(path);
      const same = told.find((one) => one.keyword === issue.keyword && stringifyJson(one.path) === place);
      const message = same?.message ?? `does not fit "${issue.keyword}"`;
      const { keyword, isConditional, property } = issue;
      return {
        path,
        keyword,
        message,
        ...(isConditional !== undefined && { isConditional }),
        ...(property !== undefined && { property: sealing.seal(property) }),
      };
    });
  };
  return Object.assign(checked, { problem: check.problem });
}
