/** Ingredients of one serving. The kitchen server knows only names, not amounts. */
export interface Recipe {
  readonly dish: string;
  readonly dishJa: string;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly name: string;
  readonly nameJa: string;
  readonly quantity: number;
  readonly unit: string;
}

const RECIPES: readonly Recipe[] = [
  {
    dish: 'omelette',
    dishJa: 'オムレツ',
    parts: [
      { name: 'eggs', nameJa: '卵', quantity: 2, unit: '個' },
      { name: 'milk', nameJa: '牛乳', quantity: 0.1, unit: '本' },
      { name: 'butter', nameJa: 'バター', quantity: 10, unit: 'g' },
    ],
  },
  {
    dish: 'miso soup',
    dishJa: '味噌汁',
    parts: [
      { name: 'tofu', nameJa: '豆腐', quantity: 0.25, unit: '丁' },
      { name: 'onions', nameJa: '玉ねぎ', quantity: 0.25, unit: '個' },
      { name: 'miso', nameJa: '味噌', quantity: 20, unit: 'g' },
    ],
  },
];

export function recipeFor(dish: string): Recipe {
  const wanted = dish.trim().toLowerCase();
  const found = RECIPES.find((recipe) => recipe.dish === wanted || recipe.dishJa === wanted);
  if (found !== undefined) return found;
  const known = RECIPES.map((recipe) => `${recipe.dish} (${recipe.dishJa})`).join(', ');
  throw new Error(`Nobody here cooks "${dish}". Known dishes: ${known}.`);
}

/** Scaled to the servings, and rounded because tenths are not exact in binary. */
export function scaled({ parts }: Recipe, servings: number): Part[] {
  return parts.map((part) => ({ ...part, quantity: Math.round(part.quantity * servings * 1e6) / 1e6 }));
}
