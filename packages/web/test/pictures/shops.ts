import { setTimeout as sleep } from 'node:timers/promises';
import { defineService } from 'dandori';
import * as z from 'zod';

const PRICES: Readonly<Record<string, readonly [yen: number, ms: number]>> = {
  'Nishiki Market': [298, 900],
  'Corner shop': [348, 350],
  'Station kiosk': [410, 600],
};
const offer = z.object({ shop: z.string(), item: z.string(), yen: z.number() });

/** Shops with slow answers, which take orders while they are open. */
export const createShops = (opening: () => Promise<void>) =>
  defineService({
    name: 'shops',
    methods: {
      price: {
        description: 'Asks a shop for the price of an item.',
        effect: 'read',
        trusted: true,
        input: z.object({ shop: z.string(), item: z.string() }),
        output: offer,
        run: async ({ shop, item }) => {
          const [yen, ms] = PRICES[shop] ?? [0, 0];
          if (yen === 0) throw new Error(`${shop} is closed today.`);
          await sleep(ms);
          return { shop, item, yen };
        },
      },
      order: {
        description: 'Orders an item. It is delivered within the hour.',
        effect: 'write',
        trusted: true,
        input: z.object({ shop: z.string(), item: z.string(), count: z.number().int().default(1) }),
        output: z.object({ order: z.string() }),
        run: async ({ shop, item, count }) => {
          await sleep(450);
          await opening();
          return { order: `${count} × ${item} from ${shop}` };
        },
      },
      note: {
        description: 'Leaves a note for the household.',
        effect: 'idempotent',
        trusted: true,
        input: z.object({ text: z.string() }),
        output: z.object({ text: z.string() }),
        run: async ({ text }) => {
          await sleep(120);
          return { text };
        },
      },
    },
  });
