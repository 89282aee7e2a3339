/** What a person reads who is asked at a terminal. */
export const ENGLISH_REPLIES = {
  answer: 'Answer',
  decline: 'Decline to answer',
  cancel: 'Cancel the run',
  why: 'Why? (may be empty)',
  keys: { one: '↑/↓, Enter', some: '↑/↓, Space marks, Enter' },
  elsewhere: (question: string, answer: string | undefined, by: string | undefined) =>
    `${question} was ${answer === undefined ? 'declined' : 'answered'} elsewhere${by === undefined ? '' : ` by ${by}`}${answer === undefined ? '' : `: ${answer}`}`,
  optional: 'may be left out',
  leaveOut: 'Leave it out',
  needed: 'This is needed.',
  flag: (value: boolean): string => (value ? 'Yes' : 'No'),
  number: 'number',
  integer: 'whole number',
  default: (value: string) => `default: ${value}`,
};

export const JAPANESE_REPLIES: typeof ENGLISH_REPLIES = {
  answer: '答える',
  decline: '答えない',
  cancel: '実行を中止する',
  why: '理由(空でもかまいません)',
  keys: { one: '↑/↓ で選び、Enter で決定', some: '↑/↓ で移動、スペースで選択、Enter で決定' },
  elsewhere: (question, answer, by) =>
    `${question} には${by === undefined ? '別のところ' : ` ${by} `}から${answer === undefined ? '「答えない」と返答がありました' : `回答がありました: ${answer}`}`,
  optional: '省略可',
  leaveOut: '省略する',
  needed: '入力が必要です。',
  flag: (value) => (value ? 'はい' : 'いいえ'),
  number: '数',
  integer: '整数',
  default: (value) => `既定値: ${value}`,
};
