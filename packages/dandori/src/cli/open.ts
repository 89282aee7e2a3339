import { type Dandori, type OpenOptions, openDandori as openHere } from '../dandori.ts';
import { SERVER, TOKEN } from './server-address.ts';

/** The one place that knows whether a command works here or at a server. */
export async function openDandori(options: OpenOptions): Promise<Dandori> {
  const { [SERVER]: server = '', [TOKEN]: token = '' } = process.env;
  if (server === '') return openHere(options);
  const { openRemote } = await import('./remote.ts');
  return openRemote(options, { server, ...(token !== '' && { token }) });
}
