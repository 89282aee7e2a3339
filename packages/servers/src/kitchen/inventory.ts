import { DatabaseSync } from 'node:sqlite';
import { createOnce } from '../data-file.ts';
import { SaidError } from '../said.ts';
import { daysUntil } from './expiry.ts';
import { canMean, isCalled, nameIn } from './names.ts';
import { RecordedResults } from './recorded-results.ts';
import { buildKitchen, KITCHEN_VERSION } from './stock-sample.ts';

export interface Item {
  item_id: number;
  name: string;
  quantity: number;
  unit: string;
  expires_on: string | null;
  days_left: number | null;
}

export interface NewItem {
  name: string;
  quantity: number;
  unit: string;
  expires_on: string | null;
}

/** How much of an item would be removed, and how much would be left. */
export function shareOf(item: Item, quantity: number | undefined): { removed: number; remaining: number } {
  const removed = quantity ?? item.quantity;
  if (removed > item.quantity) {
    throw new SaidError({
      en: `There are only ${item.quantity} of "${nameIn(item, false)}". ${removed} can't be removed.`,
      ja: `「${nameIn(item, true)}」の在庫は ${item.quantity} ${item.unit}です。${removed} ${item.unit}は減らせません。`,
    });
  }
  // Tenths and thirds of a litre do not add up exactly in binary.
  return { removed, remaining: Math.round((item.quantity - removed) * 1e6) / 1e6 };
}

/** The caller does not say how much of several pieces is meant, and removing too much cannot be undone. */
export class AmbiguousQuantity extends Error {
  readonly item: Item;

  constructor(item: Item) {
    super(`There are ${item.quantity} ${item.unit} of "${item.name}". Send the quantity.`);
    this.item = item;
  }
}

/** More than one item matches the name, and removing the wrong one cannot be undone. */
export class AmbiguousItem extends Error {
  readonly candidates: Item[];

  constructor(candidates: Item[]) {
    super('More than one item fits.');
    this.candidates = candidates;
  }
}

export class Inventory {
  readonly #database: DatabaseSync;
  readonly recorded: RecordedResults;

  constructor(path: string) {
    createOnce(path, buildKitchen);
    this.#database = new DatabaseSync(path, { timeout: 5000 });
    const version = this.#database.prepare('PRAGMA user_version').get()?.user_version;
    if (version !== KITCHEN_VERSION) {
      throw new Error(`${path} is not a kitchen database. Set DANDORI_KITCHEN_PATH to another file.`);
    }
    this.recorded = new RecordedResults(this.#database);
  }

  items(): Item[] {
    const rows = this.#database
      .prepare(
        'SELECT item_id, name, quantity, unit, expires_on FROM items ORDER BY expires_on IS NULL, expires_on, item_id',
      )
      .all();
    return rows.map((row) => {
      const expiresOn = row.expires_on === null ? null : String(row.expires_on);
      return {
        item_id: Number(row.item_id),
        name: String(row.name),
        quantity: Number(row.quantity),
        unit: String(row.unit),
        expires_on: expiresOn,
        days_left: expiresOn === null ? null : daysUntil(expiresOn),
      };
    });
  }

  /** Adds to an existing item with the same name and date. */
  add({ name, quantity, unit, expires_on }: NewItem): Item {
    const pile = this.#database
      .prepare('SELECT item_id FROM items WHERE name = ? AND unit = ? AND expires_on IS ?')
      .get(name, unit, expires_on);
    if (pile) {
      this.#database
        .prepare('UPDATE items SET quantity = quantity + ? WHERE item_id = ?')
        .run(quantity, Number(pile.item_id));
      return this.#item(Number(pile.item_id));
    }
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO items (name, quantity, unit, expires_on) VALUES (?, ?, ?, ?)')
      .run(name, quantity, unit, expires_on);
    return this.#item(Number(lastInsertRowid));
  }

  /** Removes some or all of an item and returns how much is left. */
  take(item: Item, quantity: number | undefined): { removed: number; remaining: number } {
    const { removed, remaining } = shareOf(item, quantity);
    if (remaining === 0) this.#database.prepare('DELETE FROM items WHERE item_id = ?').run(item.item_id);
    else
      this.#database.prepare('UPDATE items SET quantity = ? WHERE item_id = ?').run(remaining, item.item_id);
    return { removed, remaining };
  }

  find(name: string | undefined, itemId: number | undefined): Item {
    if (itemId !== undefined) {
      const item = this.#item(itemId);
      if (name !== undefined && !canMean(name, item.name)) {
        throw new SaidError({
          en: `Item ${itemId} is "${nameIn(item, false)}", not "${name}". Send the matching item_id, or only one of the two.`,
          ja: `品目 ${itemId} は「${nameIn(item, true)}」で、「${name}」ではありません。一致する item_id か、どちらか一方だけを指定してください。`,
        });
      }
      return item;
    }
    if (name === undefined)
      throw new SaidError({
        en: 'Send the name or the item_id of what to remove.',
        ja: '削除するものの品名か item_id を指定してください。',
      });
    const items = this.items();
    const exact = items.filter((item) => isCalled(name, item.name));
    const candidates = exact.length > 0 ? exact : items.filter((item) => canMean(name, item.name));
    const [only] = candidates;
    if (!only) {
      const names = (japanese: boolean) => items.map((item) => nameIn(item, japanese));
      throw new SaidError({
        en: `There is no "${name}" in the kitchen. In stock: ${names(false).join(', ') || 'nothing'}.`,
        ja: `「${name}」は在庫にありません。在庫：${names(true).join('、') || 'なし'}。`,
      });
    }
    if (candidates.length > 1) throw new AmbiguousItem(candidates);
    return only;
  }

  #item(itemId: number): Item {
    const item = this.items().find((each) => each.item_id === itemId);
    if (!item)
      throw new SaidError({
        en: `There is no item ${itemId}. Use list_inventory for the item_id.`,
        ja: `品目 ${itemId} は在庫にありません。item_id は list_inventory で確認できます。`,
      });
    return item;
  }
}
