import type { Item } from './inventory.ts';
import { canMean } from './names.ts';
import recipes from './recipes.json' with { type: 'json' };

export interface RecipeMatch {
  name: string;
  name_ja: string;
  minutes: number;
  have: string[];
  missing: string[];
  uses_soon: string[];
  steps: string[];
  steps_ja: string[];
}

const SOON_DAYS = 3;

/** Recipes with the least shopping first; among equals, those that use food that expires soon. */
export function findRecipes(ingredients: string[], stock: Item[], max: number): RecipeMatch[] {
  const expiring = stock.filter(({ days_left }) => days_left !== null && days_left <= SOON_DAYS);
  return recipes
    .map((recipe) => {
      const have = recipe.ingredients.filter((it) => ingredients.some((given) => isSame(it.names, given)));
      const soon = expiring.filter((item) => have.some((it) => isSame(it.names, item.name)));
      return {
        name: recipe.name,
        name_ja: recipe.name_ja,
        minutes: recipe.minutes,
        have: have.map(label),
        missing: recipe.ingredients.filter((it) => !have.includes(it)).map(label),
        uses_soon: soon.map((item) => item.name),
        steps: recipe.steps,
        steps_ja: recipe.steps_ja,
      };
    })
    .filter(({ have }) => have.length > 0)
    .sort(
      (a, b) =>
        a.missing.length - b.missing.length ||
        b.uses_soon.length - a.uses_soon.length ||
        b.have.length - a.have.length,
    )
    .slice(0, max);
}

/** Stock that is still good to eat. */
export function usable(stock: Item[]): Item[] {
  return stock.filter(({ days_left }) => days_left === null || days_left >= 0);
}

function isSame(names: string[], given: string): boolean {
  return names.some((name) => canMean(name, given) || canMean(given, name));
}

function label({ names }: { names: string[] }): string {
  return names.slice(0, 2).join(' / ');
}
