import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { OrderRule } from '../../../src/model/settings.ts';
import type { Effect, Tool } from '../../../src/model/tool.ts';
import type { Run } from './loop.ts';
import recorded from './shipped-tools.json' with { type: 'json' };

/** The tools of the five shipped servers as they described themselves when this was recorded. */
export const SHIPPED: ReadonlyMap<string, Tool> = toolsOf(recorded as unknown as Tool[]);

export const DATABASE_ORDER: OrderRule[] = [
  { before: 'sqlite.list_tables', after: 'sqlite.get_table_schema' },
  { before: 'sqlite.get_table_schema', after: 'sqlite.execute_safe_query' },
];

const PRODUCTS = [
  { product_id: 1, name: 'Green tea', name_ja: '緑茶', category: 'drink', price: 648, stock: 120 },
  { product_id: 2, name: 'Fountain pen', name_ja: '万年筆', category: 'stationery', price: 5500, stock: 12 },
];
const CUSTOMERS = [{ customer_id: 1, name: 'Sato Hanako', city: 'Osaka' }];

export const SHIPPED_RUNS: Readonly<Record<string, Run>> = {
  'calc.evaluate': ({ expression }) => ({ expression: String(expression), result: 300, text: '300' }),
  'clock.get_current_time': ({ time_zone = 'Asia/Tokyo' }) => ({
    time_zone,
    iso: '2026-11-16T07:38:00+09:00',
    date: '2026-11-16',
    time: '07:38:00',
    weekday: 'Monday',
    weekday_ja: '月曜日',
  }),
  'sqlite.list_tables': () => ({
    tables: ['customers', 'order_items', 'orders', 'products'].map((name) => ({
      name,
      type: 'table',
      rows: 2,
    })),
  }),
  'sqlite.get_table_schema': ({ table = '' }) => ({
    table,
    columns: [{ name: 'name', type: 'TEXT', nullable: false, primary_key: false, default_value: null }],
    foreign_keys: [],
    sql: `CREATE TABLE ${String(table)} (name TEXT)`,
  }),
  'sqlite.execute_safe_query': ({ query }) => {
    const rows: Json[] = /COUNT/.test(String(query))
      ? [{ count: 5 }]
      : /products/.test(String(query))
        ? PRODUCTS
        : CUSTOMERS;
    return { columns: Object.keys(rows[0] as JsonObject), rows, row_count: rows.length, truncated: false };
  },
  'places.locate_ip': ({ ip = '' }) => ({
    ip,
    city: 'Sapporo',
    country: 'Japan',
    latitude: 43.06,
    longitude: 141.35,
    source: 'offline data file',
  }),
  'places.get_weather': ({ city = '' }) => ({
    city,
    country: 'Japan',
    temperature_c: 19.5,
    condition: 'sunny',
    condition_ja: '晴れ',
    humidity: 62,
    wind_kmh: 11,
    observed_at: '2026-05-01T00:00:00Z',
    source: 'offline data file',
  }),
  'kitchen.list_inventory': () => ({
    items: [{ item_id: 3, name: '卵 / eggs', quantity: 8, unit: '個' }],
    ingredients: ['卵'],
  }),
  'kitchen.find_recipes': ({ ingredients = ['卵'] }) => ({
    ingredients,
    recipes: [{ name: 'Omelette', name_ja: 'オムレツ', minutes: 10 }],
  }),
  'kitchen.remove_item': ({ name = '' }) => ({
    item: { item_id: 1, name, quantity: 1, unit: '本' },
    removed: 1,
    remaining: 0,
  }),
  'kitchen.add_item': ({ name = '', quantity = 0 }) => ({ item: { item_id: 9, name, quantity, unit: '個' } }),
};

interface Sketch {
  readonly description?: string;
  readonly input?: Record<string, JsonObject>;
  readonly required?: string[];
  readonly output?: Record<string, JsonObject>;
  readonly effect?: Effect;
}

/** Tools of a made-up API, to show that nothing is known beforehand about the shipped ones. */
export function sketched(sketches: Record<string, Sketch>): ReadonlyMap<string, Tool> {
  return toolsOf(
    Object.entries(sketches).map(
      ([name, { description = '', input = {}, required = Object.keys(input), output, effect = 'read' }]) => ({
        name,
        server: name.split('.')[0] ?? '',
        description,
        inputSchema: { type: 'object', properties: input, required, additionalProperties: false },
        ...(output !== undefined && { outputSchema: { type: 'object', properties: output } }),
        effect,
        trusted: true,
      }),
    ),
  );
}

export function toolsOf(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}
