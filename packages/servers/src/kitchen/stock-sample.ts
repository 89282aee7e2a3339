import { DatabaseSync } from 'node:sqlite';
import { dateAfter } from './expiry.ts';

/** Tells a kitchen database from any other SQLite file. */
export const KITCHEN_VERSION = 20260501;

const SCHEMA = `
  CREATE TABLE items (
    item_id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    quantity REAL NOT NULL CHECK (quantity > 0),
    unit TEXT NOT NULL,
    expires_on TEXT
  );
  CREATE TABLE recorded_results (
    idempotency_key TEXT PRIMARY KEY,
    request TEXT NOT NULL,
    result TEXT NOT NULL,
    recorded_at INTEGER NOT NULL
  );
  PRAGMA user_version = ${KITCHEN_VERSION};
`;

const STOCK: [name: string, quantity: number, unit: string, daysLeft: number | null][] = [
  ['牛乳 (低脂肪) / low-fat milk', 1, '本', 3],
  ['牛乳 (成分無調整) / whole milk', 2, '本', 7],
  ['卵 / eggs', 8, '個', 12],
  ['玉ねぎ / onions', 3, '個', 20],
  ['じゃがいも / potatoes', 5, '個', 25],
  ['にんじん / carrots', 2, '本', 10],
  ['鶏もも肉 / chicken thigh', 400, 'g', 2],
  ['豆腐 / tofu', 1, '丁', 4],
  ['ご飯 / cooked rice', 2, '杯', 1],
  ['味噌 / miso', 300, 'g', 120],
  ['醤油 / soy sauce', 500, 'ml', null],
  ['バター / butter', 150, 'g', 60],
];

/** Writes the sample stock of a new kitchen. */
export function buildKitchen(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(SCHEMA);
    const insert = database.prepare(
      'INSERT INTO items (name, quantity, unit, expires_on) VALUES (?, ?, ?, ?)',
    );
    for (const [name, quantity, unit, daysLeft] of STOCK) {
      insert.run(name, quantity, unit, daysLeft === null ? null : dateAfter(daysLeft));
    }
  } finally {
    database.close();
  }
}
