import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../src/testing/model-server/index.ts';
import { openPlace, type Place } from '../cli/command.ts';
import { service } from '../program.ts';

const TRAVEL = service('conversation/fixtures/travel.ts');

/** A folder of a user's with a model behind real HTTP, in which real commands are run. */
export interface Town extends AsyncDisposable {
  readonly place: Place;
  readonly model: ModelServer;
}

export async function openTown(script: ModelScript, more = ''): Promise<Town> {
  const model = await startModelServer(script, { chunkSize: 9 });
  const place = await openPlace();
  const keys = `provider: openai-compatible, name: scripted, base_url: "${model.url}"`;
  await place.write('dandori.yaml', `model: { ${keys} }\nmcpServers: {}\nservices: ["${TRAVEL}"]\n${more}`);
  return {
    place,
    model,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await model.close();
    },
  };
}
