import type { JsonObject } from '../../../dandori/src/model/json.ts';
import type { ModelReply, ModelScript } from '../../../dandori/src/testing/index.ts';
import { act, answer, own, say } from '../../../dandori/test/requirements/home.ts';

/** Scripted replies of a model, at a realistic speed. */
export const MODEL: ModelScript = ({ promptText, body }) => {
  const goal = /Goal:\n(.*)/.exec(promptText)?.[1] ?? '';
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  const step = /Steps: (s\d)/.exec(last)?.[1];
  return { latencyMs: 350, ...reply(goal, { last, step }) };
};

interface Asked {
  readonly last: string;
  readonly step: string | undefined;
}

function reply(goal: string, { last, step }: Asked): ModelReply {
  const isDone = /<result/.test(last);
  if (/^(Dinner|Supper)/.test(goal)) return dinner(step, isDone, /^Supper/.test(goal));
  if (/^Order/.test(goal))
    return isDone ? answer('Bread and eggs are ordered; they come within the hour.') : order();
  if (/オムレツ/.test(goal)) return isDone ? answer('オムレツができました。') : omelette('オムレツ');
  if (/tonight/.test(goal))
    return isDone
      ? answer('An omelette: eggs, milk and butter are all there. The spinach should be used by tomorrow.')
      : say([act('t1', 'kitchen.list_inventory')]);
  if (/closed/.test(goal))
    return isDone
      ? answer('The shop is closed today.', { achieved: false })
      : say([act('t1', 'shops.price', { shop: 'Night market', item: 'bread' })]);
  if (/weather/i.test(goal)) return isDone ? answer('21 °C and sunny in Kyoto.') : weather();
  return isDone ? answer('300') : say([act('t1', 'calc.evaluate', { expression: '100 + 200' })]);
}

const STEPS: JsonObject[] = [
  { id: 's1', description: 'See what is there' },
  { id: 's2', description: 'Ask for prices', after: ['s1'] },
  { id: 's3', description: 'Order, cook, and tell the others', after: ['s2'] },
];

function dinner(step: string | undefined, isDone: boolean, isSmall: boolean): ModelReply {
  const price = (id: string, shop: string) => act(id, 'shops.price', { shop, item: 'bread' }, { step: 's2' });
  if (step === 's1')
    return say([
      act('stock', 'kitchen.list_inventory', {}, { step: 's1' }),
      act('list', 'pantry.shopping_list', { dish: 'omelette', servings: 1 }, { step: 's1' }),
    ]);
  if (step === 's2')
    return say([
      price('market', 'Nishiki Market'),
      price('corner', 'Corner shop'),
      price('kiosk', 'Station kiosk'),
    ]);
  if (step === 's3') {
    const dish = isSmall
      ? act('leeks', 'kitchen.add_item', { name: 'ねぎ / leeks', quantity: 2, unit: '本' }, { step: 's3' })
      : act(
          'omelette',
          'pantry.cook',
          { dish: '${list.dish}', servings: '${list.servings}' },
          { step: 's3' },
        );
    return say([
      act('bread', 'shops.order', { shop: '${market.shop}', item: '${market.item}' }, { step: 's3' }),
      dish,
      act('soup', 'pantry.cook', { dish: 'miso soup', servings: 1 }, { step: 's3' }),
      act(
        'note',
        'shops.note',
        { text: '${bread.order}; dinner is ready.' },
        { step: 's3', after: ['soup'] },
      ),
    ]);
  }
  if (isDone)
    return answer(
      'Dinner is ready: an omelette and miso soup. Bread from Nishiki Market was the cheapest (¥298) and is on its way.',
    );
  return say([own('plan.propose', { objective: 'Dinner with fresh bread', steps: STEPS })], {
    reasoning: 'Three stages: look at the stock, compare prices, then order and cook.',
  });
}

function order(): ModelReply {
  return say(
    [
      act('market', 'shops.price', { shop: 'Nishiki Market', item: 'bread' }),
      act('corner', 'shops.price', { shop: 'Corner shop', item: 'eggs' }),
      act('bread', 'shops.order', { shop: '${market.shop}', item: '${market.item}' }),
      act('eggs', 'shops.order', { shop: '${corner.shop}', item: '${corner.item}', count: 10 }),
      act('spinach', 'kitchen.remove_item', { name: 'spinach' }),
    ],
    { reasoning: 'Both shops are asked first; what is old makes room for what is new.' },
  );
}

function omelette(dish: string): ModelReply {
  return say([
    act('list', 'pantry.shopping_list', { dish, servings: 1 }),
    act('cook', 'pantry.cook', { dish: '${list.dish}', servings: '${list.servings}' }),
  ]);
}

function weather(): ModelReply {
  return say([
    act('place', 'places.locate_ip', { ip: '203.0.113.7' }),
    act('sky', 'places.get_weather', { city: '${place.city}' }),
  ]);
}
