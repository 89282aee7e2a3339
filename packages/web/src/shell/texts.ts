import type { Texts } from './language.tsx';

const en = {
  skip: 'Skip to the content',
  home: 'Runs',
  conversations: 'Conversations',
  dashboard: 'Dashboard',
  tools: 'Tools',
  navigation: 'Main',
  language: 'Language',
  languages: { en: 'English', ja: '日本語' },
  theme: 'Colours',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  signOut: 'Forget the token',
  nowhere: 'There is nothing at this address.',
  toHome: 'To the runs',
  failed: 'This part of the page has failed.',
  again: 'Try again',
  token: {
    title: 'A token is needed',
    text: 'This server knows its users by a token. `dandori token` makes one.',
    label: 'Token',
    refused: 'The server does not know this token.',
    enter: 'Enter',
  },
};

export const texts: Texts<typeof en> = {
  en,
  ja: {
    skip: '本文へ移動',
    home: '実行',
    conversations: '会話',
    dashboard: 'ダッシュボード',
    tools: 'ツール',
    navigation: 'メイン',
    language: '言語',
    languages: { en: 'English', ja: '日本語' },
    theme: '配色',
    themes: { system: 'システムに合わせる', light: 'ライト', dark: 'ダーク' },
    signOut: 'トークンを忘れる',
    nowhere: 'このアドレスには何もありません。',
    toHome: '実行の一覧へ',
    failed: 'この部分の表示に失敗しました。',
    again: 'もう一度試す',
    token: {
      title: 'トークンが必要です',
      text: 'このサーバーはトークンで利用者を確かめます。`dandori token` で作れます。',
      label: 'トークン',
      refused: 'サーバーはこのトークンを知りません。',
      enter: '入る',
    },
  },
};
