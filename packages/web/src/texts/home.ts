import type { ApprovalPolicy, Mode } from '#dandori/model/settings.ts';
import type { Texts } from '../shell/language.tsx';
import { labels } from './labels.ts';

const en = {
  goal: labels.en.goal,
  goalHint:
    'What do you want to do? For example: find the location of 8.8.8.8 and tell me the weather there.',
  start: 'Start',
  starting: 'Starting…',
  sendHint: 'Ctrl+Enter to start',
  mode: labels.en.mode,
  approval: 'Approval',
  configured: 'Default',
  modeHints: {
    auto: 'The model decides how much planning the goal needs.',
    direct: 'Answers without tools.',
    adaptive: 'Works step by step; each result leads to the next action.',
    planned: 'Makes one plan for everything, then runs it in parallel.',
    hierarchical: 'Plans steps first. Tasks are planned when each step starts.',
  } satisfies Record<Mode, string>,
  approvalHints: {
    never: 'No call needs your approval.',
    destructive: 'You approve calls that cannot be undone.',
    writes: 'You approve every call that changes something.',
    step: 'You approve the plan, and are asked before each next step.',
    plan: 'You approve, reject or edit the plan before it runs.',
    always: 'You approve every call.',
  } satisfies Record<ApprovalPolicy, string>,
  plan: {
    add: 'Use a plan file',
    remove: 'Remove plan file',
    label: 'Plan file (YAML or JSON)',
    choose: 'Choose file',
  },
  questions: { title: labels.en.waitingForYou, fewer: 'Show fewer' },
  list: {
    title: 'All runs',
    search: 'Search goals',
    any: 'Any status',
    since: 'From',
    until: 'To',
    clear: 'Clear filters',
    none: 'No matching runs',
    count: (count: number, isAll: boolean) =>
      `${count}${isAll ? '' : '+'} ${count === 1 && isAll ? 'run' : 'runs'}`,
    inConversation: 'from a conversation',
  },
  newcomer: {
    title: 'No runs yet',
    text: 'Describe a goal above in your own words. Dandori picks the tools, makes a plan, asks you where needed, and answers. You can watch every step and check it later.',
    examples: 'Try one of these:',
    goals: [
      'What time is it now?',
      'Calculate 100 + 200',
      'Find the place of the IP address 8.8.8.8 and tell me its weather',
    ],
    tools: (count: number) => (count === 1 ? '1 tool is connected.' : `${count} tools are connected.`),
    toTools: 'View tools',
  },
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    goal: labels.ja.goal,
    goalHint: 'やりたいことを入力。例：8.8.8.8 の場所を調べて、そこの天気を教えて。',
    start: '開始',
    starting: '開始中…',
    sendHint: 'Ctrl+Enter で開始',
    mode: labels.ja.mode,
    approval: '承認',
    configured: '既定',
    modeHints: {
      auto: 'どこまで計画するかをモデルが判断します。',
      direct: 'ツールを使わずに回答します。',
      adaptive: '結果を見ながら 1 つずつ進めます。',
      planned: '最初に全体を計画し、並列に実行します。',
      hierarchical: '先にステップを計画し、タスクは各ステップの開始時に計画します。',
    },
    approvalHints: {
      never: '呼び出しの前に確認しません。',
      destructive: '取り消せない呼び出しの前に確認します。',
      writes: '書き込みの前に確認します。',
      step: '計画を確認し、次のステップに進む前にも確認します。',
      plan: '実行前に計画を承認・却下・編集できます。',
      always: 'すべての呼び出しの前に確認します。',
    },
    plan: {
      add: '計画ファイルを使用',
      remove: '計画ファイルを外す',
      label: '計画ファイル（YAML または JSON）',
      choose: 'ファイルを選択',
    },
    questions: { title: labels.ja.waitingForYou, fewer: '表示を減らす' },
    list: {
      title: 'すべての実行',
      search: '目標を検索',
      any: 'すべての状態',
      since: '開始日',
      until: '終了日',
      clear: '絞り込みを解除',
      none: '該当する実行はありません',
      count: (count, isAll) => `${count} 件${isAll ? '' : '以上'}`,
      inConversation: '会話から',
    },
    newcomer: {
      title: '実行はまだありません',
      text: '上の欄に、やりたいことを入力してください。Dandori がツールを選んで計画を立て、必要なら質問し、回答します。経過はすべて、あとから確認できます。',
      examples: '試してみる：',
      goals: [
        '現在時刻を教えて',
        '100 + 200 を計算して',
        'IP アドレス 8.8.8.8 の場所を調べて、そこの天気を教えて',
      ],
      tools: (count) => `ツール ${count} 個が接続されています。`,
      toTools: 'ツールを見る',
    },
  },
};
