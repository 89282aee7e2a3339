import { listModels } from '../../app/index.ts';
import { loadConfig } from '../../config/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { PROVIDERS } from '../../model/settings.ts';
import { asTyped } from '../command-line.ts';
import { printable, styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';

/** Returns 1 if the provider cannot be asked. */
export async function models(
  provider: string | undefined,
  options: { config?: string; json?: boolean },
): Promise<number> {
  if (provider !== undefined && !PROVIDERS.some((known) => known === provider))
    throw new DandoriError('usage', `There is no provider ${provider}.`, {
      fix: `Choose from ${PROVIDERS.join(', ')}.`,
    });
  // The name of the model does not matter here, but a configuration without one is not valid.
  const values = provider === undefined ? {} : { model: { provider, name: 'any' } };
  const layers = [{ origin: 'models', values }];
  const { model, language } = await loadConfig({
    file: options.config,
    layers,
    without: ['mcpServers', 'services'],
  });
  if (model === undefined)
    throw new DandoriError('usage', 'No model is configured, so there is no provider to ask.', {
      fix: 'Name one: dandori models openai',
    });
  const found = await listModels(model);
  const texts = textsFor({ language });
  if (options.json === true)
    process.stdout.write(`${stringifyJson({ provider: model.provider, ...found })}\n`);
  else if ('problem' in found)
    process.stderr.write(`${styleFor(process.stderr).red('✗')} ${printable(texts.message(found.problem))}\n`);
  else {
    for (const name of found.models) process.stdout.write(`${printable(name)}\n`);
    const [first] = found.models;
    const hint =
      first === undefined ? texts.models.none(model.provider) : texts.models.use(model.provider, first);
    process.stderr.write(`${asTyped(hint, options.config)}\n`);
  }
  return 'problem' in found ? 1 : 0;
}
