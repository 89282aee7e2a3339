import { pathToFileURL } from 'node:url';
import { DandoriError } from '../../domain/error.ts';
import type { Service } from './service.ts';

/** Services from the modules that the configuration names: the default export, or every service that is exported. */
export async function loadServices(files: readonly string[]): Promise<Service[]> {
  const loaded = await Promise.all(files.map(async (file) => servicesIn(await importModule(file), file)));
  return loaded.flat();
}

async function importModule(file: string): Promise<object> {
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (error) {
    throw new DandoriError(
      'service-invalid',
      `Cannot load the service ${file}: ${error instanceof Error ? error.message : String(error)}`,
      {
        fix: 'Correct the module; Node must be able to import it as it is.',
        cause: error,
      },
    );
  }
}

function servicesIn(module: object, file: string): Service[] {
  const found = Object.values(module).flat().filter(isService);
  if (found.length > 0) return [...new Set(found)];
  throw new DandoriError('service-invalid', `${file} exports no service.`, {
    fix: 'export default defineService({ name, methods })',
  });
}

function isService(value: unknown): value is Service {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'methods' in value &&
    Array.isArray(value.methods)
  );
}
