import { expect, test } from "bun:test";
import { companyKey } from "../../src/platform/identity/names.ts";

test.each([
  ["ACME, Inc.", "acme"],
  ["Acme Holding Co. Ltd", "acme holding"],
  ["  Müller  &  Söhne\tGmbH ", "muller sohne"],
  ["MULLER & SOHNE", "muller sohne"],
  ['"Quoted" AG', "quoted"],
  ["Cooper", "cooper"],
  ["Acme Inc. (The)", "acme"],
  ["The The", "the"],
  ["株式会社", "株式会社"],
  [" . ", "."],
  ["Acme GmbH & Co. KG", "acme"],
  ["Société Générale S.A.", "societe generale"],
  ["AG", "ag"],
  ["Co", "co"],
  ["The Boring Company", "boring"],
  ["Boring Company", "boring"],
  ["Kroger Co. (The)", "kroger"],
  ["The Company", "company"],
  ["The", "the"],
  ["Theranos", "theranos"],
  ["AT&T", "at t"],
  ["AT & T Inc.", "at t"],
  ["At and T", "at t"],
  ["H&M", "h m"],
  ["H und M", "h m"],
  ["Ernst and Young LLC", "ernst young"],
  ["Dupont et Fils", "dupont fils"],
  ["Smith and Company", "smith"],
  ["Gebr. Meyer GmbH und Co. KG", "gebr meyer"],
  ["And Co", "and"],
  ["Rag and", "rag and"],
  ["Et Cetera und", "et cetera und"],
  ["Land Andover Ander", "land andover ander"],
  ["Die Zeit", "die zeit"],
  ["La Poste", "la poste"],
  ["Müller GmbH & Co. KGaA", "muller"],
  ["Ernst & Young LLP", "ernst young"],
  ["Kirkland PLLC", "kirkland"],
  ["Sony K.K.", "sony"],
  ["Sony Kabushiki Kaisha", "sony"],
  ["Grab Pte. Ltd.", "grab"],
  ["Petronas Sdn. Bhd.", "petronas"],
  ["Fiat S.p.A.", "fiat"],
  ["Nokia Oyj", "nokia"],
  ["Mærsk A/S", "mærsk"],
  ["Infosys Private Limited", "infosys"],
  ["Cemex, S.A. de C.V.", "cemex"],
  ["Skoda a.s.", "skoda"],
  ["C&A B.V.", "c a"],
  ["S.A.S.", "s a s"],
  ["Private Label", "private label"],
  ["Hilton Spa Resort", "hilton spa resort"],
])("the key of the company %s is %s", (name, key) => {
  expect(companyKey(name)).toBe(key);
});

test.each([
  "トヨタ自動車|トヨタ自動車株式会社|トヨタ自動車㈱|(株)トヨタ自動車|トヨタ自動車（株）|㍿トヨタ自動車",
  "サンプル|株式会社サンプル|株式会社 サンプル|有限会社サンプル|合同会社サンプル|(有)サンプル",
  "카카오|주식회사 카카오|카카오(주)|㈜카카오|카카오 주식회사|유한회사 카카오|카카오 Co., Ltd.",
  "腾讯科技|腾讯科技有限公司|腾讯科技股份有限公司|腾讯科技有限责任公司",
  "台積電|台積電股份有限公司",
  "Ромашка|ООО «Ромашка»|АО Ромашка",
])("%s are names of one company", (names) => {
  expect(new Set(names.split("|").map(companyKey)).size).toBe(1);
});

test.each([
  ["株式会社", "有限会社"],
  ["テンセント", "テンセント音楽"],
  ["有田", "田"],
  ["株主", "主"],
  ["주성", "성"],
  ["阿里巴巴集团", "阿里巴巴"],
])("%s is another company than %s", (name, other) => {
  expect(companyKey(name)).not.toBe(companyKey(other));
});
