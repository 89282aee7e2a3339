/** The APIs through which language models are called. */
export const PROVIDERS = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** `openai/gpt-5-mini` as provider and name. Undefined if the text does not start with a provider. */
export function splitModelName(text: string): { provider: Provider; name: string } | undefined {
  const at = text.indexOf('/');
  const provider = PROVIDERS.find((one) => one === text.slice(0, at));
  const name = text.slice(at + 1);
  return provider === undefined || name === '' ? undefined : { provider, name };
}
