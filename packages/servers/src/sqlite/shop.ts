import { DatabaseSync } from 'node:sqlite';

const SCHEMA = `
  CREATE TABLE products (
    product_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_ja TEXT NOT NULL,
    category TEXT NOT NULL,
    price INTEGER NOT NULL CHECK (price >= 0),
    stock INTEGER NOT NULL CHECK (stock >= 0),
    currency TEXT NOT NULL DEFAULT 'JPY'
  );
  CREATE TABLE customers (
    customer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_ja TEXT NOT NULL,
    city TEXT NOT NULL,
    email TEXT
  );
  CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
    ordered_on TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('paid', 'shipped', 'cancelled'))
  );
  CREATE TABLE order_items (
    order_id INTEGER NOT NULL REFERENCES orders (order_id),
    product_id INTEGER NOT NULL REFERENCES products (product_id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
  );
`;

const ROWS: Record<string, (string | number | null)[][]> = {
  products: [
    [1, 'Green tea', '緑茶', 'drink', 648, 120, 'JPY'],
    [2, 'Coffee beans', 'コーヒー豆', 'drink', 1280, 45, 'JPY'],
    [3, 'Rice 5 kg', 'お米 5kg', 'food', 2480, 30, 'JPY'],
    [4, 'Soy sauce', '醤油', 'food', 398, 80, 'JPY'],
    [5, 'Notebook', 'ノート', 'stationery', 220, 300, 'JPY'],
    [6, 'Fountain pen', '万年筆', 'stationery', 5500, 12, 'JPY'],
    [7, 'Umbrella', '傘', 'daily goods', 1980, 0, 'JPY'],
    [8, 'Lunch box', '弁当箱', 'daily goods', 1650, 25, 'JPY'],
  ],
  customers: [
    [1, 'Sato Hanako', '佐藤 花子', 'Tokyo', 'hanako@example.com'],
    [2, 'Suzuki Ichiro', '鈴木 一郎', 'Osaka', 'ichiro@example.com'],
    [3, 'Takahashi Yui', '高橋 結衣', 'Sapporo', null],
    [4, 'Emma Wilson', 'エマ・ウィルソン', 'London', 'emma@example.com'],
    [5, 'Liam Chen', 'リアム・チェン', 'New York', 'liam@example.com'],
  ],
  orders: [
    [1, 1, '2026-04-02', 'shipped'],
    [2, 2, '2026-04-05', 'shipped'],
    [3, 1, '2026-04-18', 'paid'],
    [4, 4, '2026-05-01', 'cancelled'],
    [5, 3, '2026-05-03', 'paid'],
    [6, 5, '2026-05-07', 'shipped'],
  ],
  order_items: [
    [1, 1, 2, 648],
    [1, 5, 5, 220],
    [2, 3, 1, 2480],
    [2, 4, 2, 398],
    [3, 6, 1, 5500],
    [4, 7, 1, 1980],
    [5, 2, 3, 1280],
    [5, 8, 1, 1650],
    [6, 1, 4, 648],
    [6, 2, 1, 1280],
  ],
};

/** Writes the sample shop, which is used until a database is configured. */
export function buildShop(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(SCHEMA);
    for (const [table, rows] of Object.entries(ROWS)) {
      const places = rows[0]?.map(() => '?').join(', ');
      const insert = database.prepare(`INSERT INTO ${table} VALUES (${places})`);
      for (const row of rows) insert.run(...row);
    }
  } finally {
    database.close();
  }
}
