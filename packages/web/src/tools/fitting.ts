import type { Tool } from '#dandori/model/tool.ts';
import type { Query } from '../shell/route.tsx';

/** The tools in which every word that was typed stands somewhere. */
export function fitting(tools: readonly Tool[], { text = '', effect = '' }: Query): Tool[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    if (effect !== '' && tool.effect !== effect) return false;
    const all = `${tool.name} ${tool.title ?? ''} ${tool.description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
