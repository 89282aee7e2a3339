import type { Diagnostic } from '../../domain/diagnostic.ts';
import type { Tool } from '../../domain/tool.ts';
import type { MissingServer } from '../../ports/toolbox.ts';
import type { Language } from './goal.ts';
import type { Candidate } from './selection.ts';

interface Declining {
  readonly language: Language;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly missing: readonly MissingServer[];
  readonly nearest: Candidate | undefined;
}

const SNIPPET = ['model:', '  provider: openai', '  name: gpt-5-mini', '  api_key_env: OPENAI_API_KEY'].join(
  '\n',
);

/** Says plainly that this is beyond the built-in planner, and how to go on. */
export function declineText({ language, tools, missing, nearest }: Declining): string {
  const isJapanese = language === 'ja';
  const known = [...tools.keys()].slice(0, 8).join(', ') + (tools.size > 8 ? ', …' : '');
  const gone = missing.map(({ server, reason }) => `${server} (${reason})`).join(', ');
  const lines = [
    isJapanese
      ? 'この目標には言語モデルが必要です。今は言語モデルなしの組み込みプランナーで動いています。'
      : 'This goal needs a language model. Without one, the built-in planner is at work, and it found no plan.',
    ...(nearest === undefined ? [] : reasons(nearest, isJapanese)),
    '',
    isJapanese
      ? 'dandori.yaml に次の4行を書いてください（`dandori init` が説明付きのファイルを作ります）:'
      : 'Put these lines into dandori.yaml (`dandori init` writes a file with comments):',
    '',
    SNIPPET,
    '',
    known === ''
      ? isJapanese
        ? '使える道具はありません。'
        : 'There are no tools.'
      : `${isJapanese ? '使える道具' : 'Known tools'}: ${known}`,
    ...(gone === '' ? [] : [`${isJapanese ? '今は使えないもの' : 'Not available now'}: ${gone}`]),
  ];
  return lines.join('\n');
}

/** A plan of ours that the compiler refused would be refused again. */
export function refusedText(diagnostics: readonly Diagnostic[], language: Language): string {
  const first =
    language === 'ja'
      ? '作った計画が検査に通りませんでした。'
      : 'The plan that was made did not pass the check.';
  return [
    first,
    ...diagnostics
      .slice(0, 5)
      .map(({ task, message }) => `- ${task === undefined ? '' : `${task}: `}${message}`),
  ].join('\n');
}

function reasons({ problems, card, hasEvidence }: Candidate, isJapanese: boolean): string[] {
  if (!hasEvidence) return [];
  return problems.slice(0, 3).map(({ parameter, reason, choices }) => {
    const { name } = card.tool;
    if (reason !== 'missing') {
      const shown = choices.join(', ');
      return isJapanese
        ? `${name} の「${parameter.name}」を決められません。候補: ${shown}`
        : `No clear "${parameter.name}" for ${name} among: ${shown}`;
    }
    return isJapanese
      ? `${name} に必要な「${parameter.name}」が目標にありません。`
      : `${name} needs "${parameter.name}", which the goal does not give.`;
  });
}
