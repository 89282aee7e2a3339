import type { ReflectionTrigger } from '#dandori/model/decision.ts';
import type { Texts } from '../shell/language.tsx';

interface DecisionTexts {
  readonly none: string;
  readonly story: string;
  readonly goal: string;
  readonly objective: string;
  readonly criteria: string;
  readonly constraints: string;
  readonly reasoning: string;
  readonly decision: (number: number) => string;
  readonly thinking: string;
  readonly actions: string;
  readonly tasks: (count: number) => string;
  readonly repaired: string;
  readonly tokens: (input: number, output: number) => string;
  readonly cached: (count: number) => string;
  readonly estimated: string;
  readonly askedFor: string;
  readonly steps: (ids: string) => string;
  readonly progress: (done: number, total: number) => string;
  readonly lookBack: Readonly<Record<ReflectionTrigger, string>>;
  readonly circle: string;
  readonly continued: string;
  readonly fallback: (model: string) => string;
  readonly proposed: (version: number) => string;
  readonly revised: (version: number) => string;
  readonly by: { readonly mind: string; readonly user: string; readonly repair: string };
  readonly accepted: string;
  readonly refused: string;
  readonly vetoed: string;
  readonly notYet: string;
  readonly replaced: string;
  readonly changes: {
    readonly add: string;
    readonly remove: string;
    readonly replace: string;
    readonly reorder: string;
  };
  readonly reflected: string;
  readonly reflection: { readonly success: string; readonly failure: string; readonly partial: string };
  readonly revisionNeeded: string;
  readonly byRuntime: string;
  readonly note: (by: string | undefined) => string;
  readonly passedOn: (run: string) => string;
  readonly moment: string;
  readonly mended: string;
}

export const texts: Texts<DecisionTexts> = {
  en: {
    none: 'Nothing has been decided yet.',
    story: 'Decisions in the order of time',
    goal: 'What the goal is taken to be',
    objective: 'Objective',
    criteria: 'Success criteria',
    constraints: 'Constraints',
    reasoning: 'Why the work is divided so',
    decision: (number) => `Decision ${number}`,
    thinking: 'thinking …',
    actions: 'Actions',
    tasks: (count) => (count === 1 ? '1 task' : `${count} tasks`),
    repaired: 'Mended in the output of the model',
    tokens: (input, output) => `${input} tokens in, ${output} out`,
    cached: (count) => `${count} of them cached`,
    estimated: 'counted here',
    askedFor: 'Asked for',
    steps: (ids) => `tasks of ${ids}`,
    progress: (done, total) => `${done} of ${total} steps done`,
    lookBack: { error: 'to look back, as something has failed', interval: 'to look back' },
    circle: 'told that the run makes no progress',
    continued: 'told that the limits were raised',
    fallback: (model) => `${model} takes over`,
    proposed: (version) => `Plan ${version}`,
    revised: (version) => `Plan ${version}: a revision`,
    by: { mind: 'by the mind', user: 'by a person', repair: 'mended by the runtime' },
    accepted: 'accepted',
    refused: 'refused by the compiler',
    vetoed: 'not approved by a person',
    notYet: 'not decided yet',
    replaced: 'replaced',
    changes: { add: 'new', remove: 'taken away', replace: 'changed', reorder: 'new order' },
    reflected: 'Look back',
    reflection: { success: 'it goes well', failure: 'it goes badly', partial: 'in part' },
    revisionNeeded: 'a revision is needed',
    byRuntime: 'noted by the runtime',
    note: (by) => (by === undefined ? 'Note of a person' : `Note by ${by}`),
    passedOn: (run) => `Note passed on by the model of run ${run}`,
    moment: 'Show the run at this moment',
    mended: 'mended, see the next one',
  },
  ja: {
    none: 'まだ何も判断していません。',
    story: '判断(時間順)',
    goal: '目標の理解',
    objective: '目的',
    criteria: '成功条件',
    constraints: '制約',
    reasoning: 'この分け方の理由',
    decision: (number) => `判断 ${number}`,
    thinking: '考えています…',
    actions: 'アクション',
    tasks: (count) => `タスク ${count}個`,
    repaired: 'モデルの出力を補正',
    tokens: (input, output) => `入力 ${input}、出力 ${output} トークン`,
    cached: (count) => `うちキャッシュ ${count}`,
    estimated: '推定値',
    askedFor: '求めたこと',
    steps: (ids) => `${ids} のタスク`,
    progress: (done, total) => `${total}ステップ中${done}ステップ完了`,
    lookBack: { error: '振り返り(失敗があったため)', interval: '振り返り' },
    circle: '進展がないことを知らせた',
    continued: '上限の引き上げを知らせた',
    fallback: (model) => `${model} が引き継ぎます`,
    proposed: (version) => `計画 ${version}`,
    revised: (version) => `計画 ${version}(修正)`,
    by: { mind: 'モデルによる', user: '人による', repair: '自動補正' },
    accepted: '採用',
    refused: 'コンパイラが却下',
    vetoed: '人が却下',
    notYet: '未定',
    replaced: '差し替え済み',
    changes: { add: '追加', remove: '削除', replace: '変更', reorder: '並べ替え' },
    reflected: '振り返り',
    reflection: { success: '順調', failure: '不調', partial: '一部達成' },
    revisionNeeded: '修正が必要',
    byRuntime: 'ランタイムの記録',
    note: (by) => (by === undefined ? '利用者の言葉' : `${by} の言葉`),
    passedOn: (run) => `実行 ${run} のモデルからの伝言`,
    moment: 'この時点の実行を見る',
    mended: '次のとおり補正',
  },
};
