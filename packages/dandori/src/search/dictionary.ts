import { isJapanese } from '../model/text.ts';

/**
 * A general dictionary, so that a Japanese goal finds an English tool and vice versa. The words between two
 * slashes share one meaning. A meaning that begins with `-` says little about which tool is meant. `!` marks
 * a word for a change. In a Japanese answer, the first Japanese word of a meaning is the label of a field
 * with that name.
 */
const MEANINGS = `
product item goods article 商品 品物 製品 品目 / customer client buyer 顧客 お客様 / order purchase 注文 受注 /
inventory stock 在庫 / supplier vendor 業者 / employee staff 従業員 社員 / company firm 会社 企業 /
user account member 利用者 ユーザー 会員 アカウント / price cost fee 価格 値段 金額 料金 / sale revenue 売上 売 /
payment pay 支払 決済 / invoice bill 請求書 請求 / share 株価 株 / currency money 通貨 お金 / exchange rate 為替 レート /
category genre 分類 カテゴリ / quantity amount 数量 個数 / number count 件数 数 何人 何件 / unit 単位 / itemid 品番 / name 名前 名称 氏名 /
title 題名 タイトル / description summary 説明 概要 要約 / value 値 / result 結果 / note memo 備考 メモ /
time clock 時刻 時間 何時 時計 / date day calendar 日付 日時 日 カレンダー / weekday 曜日 / week 週 / month 月 今月 /
year 年 今年 / timezone zone タイムゾーン 標準時 / tomorrow 明日 / yesterday 昨日 / expiry expire expiration expireson 期限 賞味 / daysleft 残り日数 / remaining remainder 残り /
schedule event appointment meeting 予定 会議 イベント / reservation booking book reserve 予約 /
weather forecast 天気 天候 気象 予報 / temperature 気温 温度 / humidity 湿度 / wind 風 風速 / rain 雨 降水量 /
condition status state 状態 状況 / place location locate position geolocation geo where 場所 位置 所在地 地点 /
city town 都市 街 町 / country nation 国 国名 / region area prefecture 地域 都道府県 地方 / address ip アドレス 住所 /
map 地図 / latitude lat 緯度 / longitude lon lng 経度 / route direction 経路 ルート / distance 距離 / station 駅 /
train railway 電車 列車 鉄道 / flight airline airplane 便 フライト 飛行機 / hotel accommodation ホテル 宿泊 /
calculate compute evaluate arithmetic calculator calc math mathematics 計算 算出 / expression formula equation 式 数式 /
plus sum addition 加算 合計 / average mean 平均 / convert conversion 変換 換算 / compare comparison 比較 /
recipe cook cooking dish meal menu 料理 レシピ 献立 調理 メニュー / ingredient 材料 食材 / food grocery 食品 食べ物 /
refrigerator fridge kitchen 冷蔵庫 キッチン 台所 / database db データベース / table テーブル 表 / row record entry 行 レコード /
schema structure スキーマ 構造 / column field 列 カラム 項目 / query sql select クエリ / search lookup 検索 /
file document ファイル 文書 書類 / directory folder フォルダ フォルダー ディレクトリ / read open 読 開 /
image picture photo 画像 写真 / video movie film 動画 映画 / music song 音楽 曲 / message chat メッセージ /
email mail メール / phone telephone 電話 / news ニュース 記事 / web site website page サイト ウェブ ページ /
link url リンク / language 言語 / text sentence テキスト 文章 / translate translation 翻訳 訳 / task todo タスク 作業 /
project プロジェクト / issue ticket bug 課題 チケット 不具合 / repository repo リポジトリ / version バージョン 版 /
error failure エラー 失敗 / log history 履歴 ログ / report 報告 報告書 レポート / setting config 設定 / source origin 出典 /
! add insert append register 追加 登録 / ! remove delete erase discard 削除 消去 消 捨 / ! create 作成 /
! update change edit modify 更新 変更 編集 修正 / ! write save store 保存 書 / ! send post 送信 送 投稿 /
- list show display view print 一覧 リスト 表示 見 並 / - get fetch retrieve obtain 取得 / - use run execute 実行 使 /
- find look check inspect 調 探 確認 / - now current present 現在 今 / - today 今日 本日 / - make do prepare 作 /
- all every entire whole everything anything something 全て すべて 全部 全 / - latest recent newest 最新 最近 /
- data information info detail 情報 データ 詳細 内容 中身 / - suggest recommend describe explain 提案
`;

export interface Meaning {
  readonly name: string;
  readonly kind: 'plain' | 'soft' | 'change';
  readonly japanese: string | undefined;
}

const meanings = new Map<string, Meaning>();
for (const row of MEANINGS.split('/').map((text) => text.trim())) {
  const words = row.replace(/^[-!] /, '').split(' ');
  const kind = row.startsWith('-') ? 'soft' : row.startsWith('!') ? 'change' : 'plain';
  const meaning: Meaning = { name: words[0] ?? '', kind, japanese: words.find(isJapanese) };
  for (const key of words.map(stem)) if (!meanings.has(key)) meanings.set(key, meaning);
}

export function meaningOf(wordStem: string): Meaning | undefined {
  return meanings.get(wordStem);
}

/**
 * A light stemmer: `lists`, `listing` and `list` become one word, and so do `location` and `locate`. A
 * Japanese verb is cut to the characters before its ending: 調べる and 調べて become 調.
 */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, '');
  const head = /^(\p{Script=Han}+)\p{Script=Hiragana}/u.exec(lower)?.[1];
  if (head !== undefined || lower.length < 4 || !/^[a-z]+$/.test(lower)) return head ?? lower;
  return lower
    .replace(/ies$/, 'y')
    .replace(/(ss|x|z|ch|sh)es$/, '$1')
    .replace(/(?<!^new|[sui])s$/, '')
    .replace(/^((?=.{3,}(?:ing|ed)$).*[aeiouy].*)(?:ing|ed)$/, '$1')
    .replace(/^(.{5,})ion$/, '$1')
    .replace(/(..([bdfgmnprt]))\2$/, '$1')
    .replace(/(.{4,})e$/, '$1');
}
