import { stem } from './stem.ts';

/**
 * A general dictionary of common nouns and verbs, so that a Japanese goal finds an English tool and the other way
 * round. One row is one meaning. A row that begins with `-` is soft: such words say little about which tool is meant.
 * Where an answer is Japanese, the first Japanese word of a row is the label of a field with that name.
 */
const ROWS = `
product item goods article merchandise 商品 品物 製品 品目 アイテム
customer client buyer 顧客 お客様 客 取引先
order purchase 注文 受注 オーダー
inventory stock 在庫 ストック
supplier vendor 仕入先 業者
employee staff 従業員 社員 スタッフ
user account member 利用者 ユーザー 会員 アカウント
company corporation firm 会社 企業
price cost fee 価格 値段 金額 料金
sale revenue 売上 売り上げ
payment pay 支払い 決済
invoice bill 請求書 請求
category genre 分類 カテゴリ カテゴリー
quantity amount 数量 個数
number count 件数 数 何件 何個
unit 単位
name 名前 名称 氏名
title headline 題名 タイトル 見出し
description summary 説明 概要 要約
time clock 時刻 時間 何時 時計
date day calendar 日付 日時 日 カレンダー
week 週 一週間
weekday 曜日 何曜日
month 月 今月
year 年 今年
schedule event appointment meeting 予定 会議 イベント スケジュール
reservation booking book reserve 予約
timezone zone 時間帯 タイムゾーン 標準時
weather forecast 天気 天候 気象 予報
temperature 気温 温度
humidity 湿度
wind 風 風速
condition status state 状態 状況 ステータス
rain precipitation 雨 降水量
calculate compute evaluate arithmetic calculator calc math mathematics mathematical 計算 算出
expression formula equation 式 数式 計算式
add plus sum insert append register 追加 足す 登録 加算 入れ
remove delete erase discard 削除 消去 消し 捨て 取り除 除去
subtract minus 引く 減算
multiply times 掛ける 乗算
divide 割る 除算
update change edit modify 更新 変更 編集 修正
create 作成 新規
write save store 保存 書き込み 書き込
send post 送信 送っ 送る 投稿
search lookup 検索
convert conversion 変換 換算
translate translation 翻訳 訳し
compare comparison 比較
read open 読み込み 読み取り 読ん 開い 開く
count 数え 集計
average mean 平均
total 合計 総計
random 乱数 ランダム
recipe cook cooking dish meal menu 料理 レシピ 献立 調理 メニュー
ingredient 材料 食材
refrigerator fridge kitchen 冷蔵庫 キッチン 台所
food grocery 食品 食べ物 食料品
place location locate position geolocation geolocate geo 場所 位置 所在地 地点 位置情報
city town 都市 市町村 街 町
country nation 国 国名
region area prefecture 地域 都道府県 地方
address アドレス 住所 番地
map 地図 マップ
latitude lat 緯度
longitude lon lng 経度
route direction 経路 ルート 道順
distance 距離
train railway 電車 列車 鉄道
station 駅
flight airline airplane 便 航空便 フライト 飛行機
hotel accommodation lodging ホテル 宿 宿泊
database db データベース
table テーブル 表
schema structure スキーマ 構造
column field カラム 列 項目
row record entry 行 レコード
query sql select クエリ
file document ファイル 文書 書類
directory folder ディレクトリ フォルダ フォルダー
image picture photo 画像 写真
video movie film 動画 映画 ビデオ
music song 音楽 曲
message chat メッセージ
email mail メール 電子メール
phone telephone 電話 電話番号
news ニュース 記事
web site website page ウェブ サイト ページ
link url リンク
language 言語
word 単語 言葉
text sentence テキスト 文章
size サイズ 大きさ
color colour 色
weight 重さ 重量
height 高さ
length 長さ
share 株 株価 株式
quote 相場
currency money 通貨 お金
exchange rate 為替 レート
bank 銀行
balance 残高
novel 本 書籍
school 学校
student pupil 学生 生徒
teacher 先生 教師
hospital 病院
patient 患者
medicine drug 薬
task todo タスク 作業
project プロジェクト
issue ticket bug 課題 チケット 不具合
repository repo リポジトリ レポジトリ
code program コード プログラム
error failure エラー 失敗
log history 履歴 ログ
report 報告 報告書 レポート
setting configuration config 設定
password パスワード
version バージョン 版
expiry expire expiration 期限 賞味期限
source origin 出典 出所 ソース
result 結果
value 値
note memo remark メモ 備考
- list show display view print 一覧 リスト 表示 見せ 並べ
- get fetch retrieve obtain 取得
- find look check inspect 調べ 探し 探す 確認
- now current present 現在 今 ただいま
- today 今日 本日
tomorrow 明日
yesterday 昨日
- all every entire whole everything anything something 全て すべて 全部 全
- data information info detail 情報 データ 詳細 内容 中身
- latest recent newest 最新 最近
- use run execute perform 実行 使っ 使う
- make do prepare 作っ 作る
- answer reply respond 回答 答え
`;

/** Words that say nothing about what is wanted. Japanese ones would otherwise be taken for names. */
const EMPTY_JAPANESE =
  `いくつ いくら 教え 知り 知らせ 下さい ください お願い 願い 欲し ほしい 何 誰 いつ どう どの どれ 私 僕 あなた こと もの
  する して した です ます という について における および また そして それから 次 その この あの それ これ ため`.split(
    /\s+/,
  );

export interface Meaning {
  readonly name: string;
  readonly isSoft: boolean;
  readonly japanese: string | undefined;
}

const meanings = new Map<string, Meaning>();
for (const row of ROWS.trim().split('\n')) {
  const words = row.replace(/^- /, '').split(' ');
  const name = stem(words[0] ?? '');
  const meaning = { name, isSoft: row.startsWith('- '), japanese: words.find(isJapanese) };
  for (const word of words) {
    const key = isJapanese(word) ? word : stem(word);
    if (!meanings.has(key)) meanings.set(key, meaning);
  }
}

const empty = new Set(EMPTY_JAPANESE);
/** By their first character and the longest first, as every place of every description is looked up here. */
const byFirst = Map.groupBy(
  [...meanings.keys(), ...empty].filter(isJapanese).sort((one, other) => other.length - one.length),
  (word) => word[0],
);

/** The meaning of an English stem or of a Japanese word. */
export function meaningOf(word: string): Meaning | undefined {
  return meanings.get(word);
}

/** The longest Japanese word of the dictionary that stands at this place; empty where none does. */
export function japaneseWordAt(text: string, position: number): string {
  for (const word of byFirst.get(text[position]) ?? []) {
    if (!text.startsWith(word, position)) continue;
    if (word.length > 1 || !touchesKanji(text, position)) return word;
  }
  return '';
}

export function isEmptyJapanese(word: string): boolean {
  return empty.has(word);
}

export function isJapanese(text: string): boolean {
  return /[\u3040-\u30ff\u3400-\u9fff]/.test(text);
}

/** 国 is a word of its own but not in 中国: a single kanji counts only where it stands alone. */
function touchesKanji(text: string, position: number): boolean {
  return isKanji(text[position - 1]) || isKanji(text[position + 1]);
}

function isKanji(character: string | undefined): boolean {
  return character !== undefined && /[\u3400-\u9fff々]/.test(character);
}
