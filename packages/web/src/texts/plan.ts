import type { Texts } from '../shell/language.tsx';

interface PlanTexts {
  readonly title: string;
  readonly none: string;
  readonly source: string;
  readonly keys: string;
  readonly asked: string;
  readonly approveEdited: string;
  readonly approveAsIs: string;
  readonly editAndFork: string;
  readonly forking: (seq: number) => string;
  readonly fork: string;
  readonly discard: string;
  readonly kept: string;
  readonly checking: string;
  readonly compiles: string;
  readonly problems: (count: number) => string;
  readonly diagnostics: string;
  readonly warning: string;
  readonly hint: string;
  readonly line: (line: number, column: number) => string;
  readonly forked: (run: string) => string;
  readonly later: string;
  readonly goOn: string;
  readonly estimate: {
    readonly calls: string;
    readonly callsOf: (calls: number, reads: number, writes: number) => string;
    readonly open: string;
    readonly irreversible: string;
    readonly nothingIrreversible: string;
    readonly time: string;
    readonly expected: (time: string) => string;
    readonly atWorst: (time: string) => string;
    readonly unknown: string;
    readonly cost: string;
    readonly path: string;
  };
  readonly changes: {
    readonly added: string;
    readonly changed: string;
    readonly removed: string;
    readonly was: string;
  };
  readonly waitsFor: (ids: string) => string;
}

export const texts: Texts<PlanTexts> = {
  en: {
    title: 'The plan',
    none: 'Nothing has been planned yet.',
    source: 'The plan as YAML',
    keys: 'Tab indents. Press Esc and then Tab to leave the field.',
    asked:
      'This plan waits for your word. Change what you like; it is checked while you type and carried out as it stands here.',
    approveEdited: 'Approve with these changes',
    approveAsIs: 'Approve as it is',
    editAndFork: 'Edit in a fork',
    forking: (seq) =>
      `You edit a fork: a new run with the same past up to event ${seq}. What was begun stays as it is; nothing of it is done again.`,
    fork: 'Fork with this plan',
    discard: 'Discard the changes',
    kept: 'Your changes are kept in this tab.',
    checking: 'Checking …',
    compiles: 'The plan compiles.',
    problems: (count) => (count === 1 ? '1 problem' : `${count} problems`),
    diagnostics: 'What the compiler says',
    warning: 'Warning',
    hint: 'Hint',
    line: (line, column) => `line ${line}, column ${column}`,
    forked: (run) => `The fork is the run ${run}.`,
    later:
      'The run that you forked has made these calls since. The fork does not know of them and may make them again:',
    goOn: 'Go to the fork',
    estimate: {
      calls: 'Calls',
      callsOf: (calls, reads, writes) => `${calls}: ${reads} read, ${writes} write`,
      open: 'Left open',
      irreversible: 'Cannot be undone',
      nothingIrreversible: 'nothing',
      time: 'Time',
      expected: (time) => `about ${time}`,
      atWorst: (time) => `at worst ${time}`,
      unknown: 'not known yet',
      cost: 'Cost',
      path: 'Longest path',
    },
    changes: {
      added: 'new',
      changed: 'changed',
      removed: 'taken away',
      was: 'was',
    },
    waitsFor: (ids) => `after ${ids}`,
  },
  ja: {
    title: '計画',
    none: 'まだ計画はありません。',
    source: 'YAML の計画',
    keys: 'Tab で字下げします。欄から出るには Esc を押してから Tab を押してください。',
    asked:
      'この計画は承認を待っています。自由に変更できます。入力中に検査し、ここに書かれたとおりに実行します。',
    approveEdited: '変更して承認',
    approveAsIs: 'このまま承認',
    editAndFork: '分岐して編集',
    forking: (seq) =>
      `分岐を編集しています。イベント ${seq} までの過去を共有する新しい実行です。始めたことはそのまま残り、やり直すことはありません。`,
    fork: 'この計画で分岐',
    discard: '変更を破棄',
    kept: '変更はこのタブに保存されています。',
    checking: '検査中…',
    compiles: '計画に問題はありません。',
    problems: (count) => `問題 ${count}件`,
    diagnostics: 'コンパイラの指摘',
    warning: '注意',
    hint: 'ヒント',
    line: (line, column) => `${line}行 ${column}列`,
    forked: (run) => `分岐した実行: ${run}`,
    later:
      '分岐元の実行は、その後に次の呼び出しをしています。分岐はそれを知らず、もう一度呼び出すことがあります。',
    goOn: '分岐した実行へ',
    estimate: {
      calls: '呼び出し',
      callsOf: (calls, reads, writes) => `${calls}回: 読み取り${reads}、書き込み${writes}`,
      open: '時が来てから決める部分',
      irreversible: '取り消せないもの',
      nothingIrreversible: 'なし',
      time: '時間',
      expected: (time) => `見込み ${time}`,
      atWorst: (time) => `最悪 ${time}`,
      unknown: 'まだ分かりません',
      cost: '費用',
      path: '最長経路',
    },
    changes: {
      added: '追加',
      changed: '変更',
      removed: '削除',
      was: '変更前',
    },
    waitsFor: (ids) => `${ids} の後`,
  },
};
