import type { Config } from '../config/config.ts';
import { DandoriError } from '../domain/error.ts';
import type { ConversationParts } from '../engine/conversation.ts';
import type { Mind } from '../ports/mind.ts';

/** No model configured is no error: the built-in planner does what it can and says what it cannot. */
export async function createMind({ model, instructions }: Config): Promise<Mind> {
  // Only the one that is used is loaded, and no server's client for who only reads.
  if (model === undefined) return (await import('../mind/built-in/planner.ts')).createBuiltInMind();
  const { createLanguageMind } = await import('../mind/language/mind.ts');
  const { withFallback } = await import('../mind/language/fallback.ts');
  const { fallback, ...first } = model;
  const mind = createLanguageMind({ ...first, instructions });
  return fallback === undefined
    ? mind
    : withFallback(mind, createLanguageMind({ ...fallback, instructions, section: 'model.fallback' }));
}

/** The configured mind, its fallback, or another model of the same provider. */
export function createMinds(config: Config, first: Mind): ConversationParts['mindFor'] {
  const minds = new Map([[first.name, first]]);
  return async (name = first.name) => {
    const known = minds.get(name);
    if (known !== undefined) return known;
    const { model, instructions } = config;
    const found = [model, model?.fallback].find(
      (one) => one !== undefined && `${one.provider}/${one.name}` === name,
    );
    const other = name.startsWith(`${model?.provider}/`) ? name.slice(name.indexOf('/') + 1) : '';
    const wanted =
      found ??
      (model === undefined || other === '' ? undefined : { ...model, name: other, price: undefined });
    if (wanted === undefined) {
      throw new DandoriError('usage', `There is no model "${name}" here.`, {
        fix: `Choose ${[...minds.keys()].join(', ')}${model === undefined ? '' : `, or another of ${model.provider}/…`}.`,
      });
    }
    const mind = (await import('../mind/language/mind.ts')).createLanguageMind({ ...wanted, instructions });
    minds.set(name, mind);
    return mind;
  };
}
