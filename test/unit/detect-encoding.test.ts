import { describe, expect, test } from "bun:test";
import { detectedEncoding } from "../../src/lib/table-file/detect-encoding.ts";
import { encodingNamed, usualEncodings } from "../../src/lib/table-file/encodings.ts";
import { encoded } from "../support/encoded.ts";

/** Lists as people have them, and the encodings that they come in. */
const lists: [language: string, encodings: string, lines: string][] = [
  ["German", "windows-1252 macintosh", "Jürgen Müller,Geschäftsführer,Köln\nKäthe Größe,Leiterin,München\nÄrzte Ötker,Übersetzer,Lübeck"],
  ["French", "windows-1252 macintosh", "René Lefèvre,Président,Orléans\nHélène Côté,Chargée d’affaires,Montréal\nZoë Noël,Développeur,Nîmes"],
  ["Spanish", "windows-1252 macintosh", "José García,Director,Málaga\nMaría Núñez,Gerente,Bogotá\nIñigo Muñoz,Técnico,León\nRamón Peña,x,Cádiz"],
  ["Portuguese", "windows-1252 macintosh", "João Conceição,Diretor,São Paulo\nInês Gonçalves,Gestão,Guimarães\nAntônio Simões,Operações,Évora"],
  ["Nordic", "windows-1252 macintosh", "Åse Sørensen,Direktør,Århus\nJørgen Bjørk,Sælger,Tromsø\nPäivi Hämäläinen,Säljare,Malmö"],
  ["Icelandic", "windows-1252", "Þórður Jónsson,Framkvæmdastjóri,Reykjavík\nGuðrún Sigurðardóttir,Sölustjóri,Ísafjörður"],
  ["mixed Western", "windows-1252 macintosh", "José García – Málaga\nJürgen Müller,Köln\nSøren Kjær,Tromsø\nJoão Simões,“Boss”,Zürich\nZoë O’Neil,€ 5"],
  ["Spanish and Danish", "windows-1252", "José García,Málaga\nSøren Jørgen,Tromsø\nIñigo Muñoz,León\nBjørn Bjørk,Bodø"],
  ["Western capitals", "windows-1252", "JÜRGEN MÜLLER,KÖLN\nJOSÉ GARCÍA,MÁLAGA\nHÉLÈNE CÔTÉ,MONTRÉAL"],
  ["one Western name", "windows-1252", "José"],
  ["signs alone", "windows-1252", "O’Neil,Acme – Ltd,“x” • y™\n5 €,Foo®,10 °C,20 m²"],
  ["Polish", "windows-1250 iso-8859-2", "Łukasz Wiśniewski,Dyrektor,Kraków\nMichał Dąbrowski,Kierownik,Łódź\nGrażyna Wójcik,Księgowa,Poznań"],
  ["Czech", "windows-1250 iso-8859-2", "Jiří Dvořák,Ředitel,Plzeň\nTomáš Černý,Vývojář,Brno\nOndřej Šťastný,Účetní,Děčín\nRůžena Nováková,x,Zlín"],
  ["Hungarian", "windows-1250", "Győző Kovács,Ügyvezető,Győr\nErzsébet Szűcs,Könyvelő,Székesfehérvár\nŰrhajós Dezső,Vezető,Gyöngyös"],
  ["Croatian", "windows-1250", "Željko Čačić,Direktor,Šibenik\nĐurđica Babić,Knjigovođa,Čakovec\nKrešimir Žižić,Voditelj,Požega"],
  ["Turkish", "windows-1254", "Ayşe Yılmaz,Müdür,İstanbul\nÇağlar Şahin,Satış Yöneticisi,Eskişehir\nOğuz Özdemir,Mühendis,Muğla"],
  ["Lithuanian", "windows-1257", "Žydrūnas Šarūnas,Direktorius,Šiauliai\nRūta Meilutytė,Vadybininkė,Kėdainiai\nAgnė Čepaitė,Įmonė,Panevėžys"],
  ["Russian", "windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic", "Иван Петров,Директор,Москва\nАнна Смирнова,Менеджер,Ярославль\nСергей Кузнецов,Инженер,Новосибирск"],
  ["Russian capitals", "windows-1251", "ИВАНОВ ИВАН,МОСКВА\nПЕТРОВ ПЁТР,САНКТ-ПЕТЕРБУРГ\nСИДОРОВА АННА,НОВОСИБИРСК"],
  ["Ukrainian", "windows-1251 koi8-u", "Олександр Шевченко,Директор,Київ\nІрина Ткаченко,Менеджерка,Львів\nЄвген Їжак,Інженер,Харків"],
  ["Greek", "windows-1253 iso-8859-7", "Γιώργος Παπαδόπουλος,Διευθυντής,Αθήνα\nΜαρία Νικολάου,Πωλήσεις,Θεσσαλονίκη"],
  ["Arabic", "windows-1256", "محمد أحمد,مدير,القاهرة\nفاطمة علي,مديرة مبيعات,دبي\nخالد الحسن,مهندس,الرياض"],
  ["Japanese", "shift_jis euc-jp", "山田太郎,東京,営業部長\n鈴木花子,大阪,マーケティング\n株式会社テスト,佐藤一郎,代表取締役\n田中さくら,名古屋,人事"],
  ["Japanese names", "shift_jis", "山田太郎,東京\n鈴木花子,大阪\n佐藤一郎,横浜"],
  ["Chinese", "gb18030", "张伟,北京,销售总监\n王芳,上海,市场经理\n李娜,深圳,工程师\n刘洋,广州,有限公司总经理"],
  ["Chinese of Taiwan", "big5", "陳大文,台北,業務經理\n林志玲,高雄,行銷總監\n王小明,新竹,工程師"],
  ["Korean", "euc-kr", "김철수,서울,영업이사\n이영희,부산,마케팅 팀장\n박지성,인천,대표이사"],
]; // prettier-ignore

describe.each(lists)("a list in %s", (_language, encodings, text) => {
  test.each(encodings.split(" "))("in %s is read as it was written", (encoding) => {
    const bytes = encoded(text, encoding);
    const { encoding: found } = detectedEncoding(bytes);
    expect(found).not.toBeNull();
    expect(new TextDecoder(found!).decode(bytes)).toBe(text);
  });

  test("is UTF-8 where it is, also with a byte in it that is not", () => {
    const bytes = encoded(text, "utf-8");
    expect(detectedEncoding(bytes).encoding).toBe("utf-8");
    expect(detectedEncoding(Buffer.concat([Buffer.from([0xe9, 0x0a]), bytes])).encoding).toBe("utf-8");
  });
});

test.each([
  ["Thai", "windows-874", "สมชาย ใจดี,ผู้จัดการ,กรุงเทพ\nสมหญิง รักไทย,ฝ่ายขาย,เชียงใหม่"],
  ["a Polish name", "windows-1250", "Łukasz Wiśniewski,Kraków"],
  ["Japanese names", "euc-jp", "山田太郎,東京\n鈴木花子,大阪"],
  ["a Chinese name", "gb18030", "李明"],
  ["small Russian letters", "koi8-r", "иванов иван,москва\nсидорова анна,новосибирск"],
])("%s in %s can't be told, and is not guessed", (_what, encoding, text) => {
  expect(detectedEncoding(encoded(text, encoding)).encoding).toBeNull();
});

test.each([
  ["some names", "Bj\x94rn M\x81ller,K\x94ln\n"],
  ["a letter that reads as another of macOS", "Bj\x94rn,K\x94ln\nS\x94ren,Sch\x94nau\nJ\x94rg,N\x94then\n"],
])("%s in a code page of DOS, which has no decoder, are not taken for another text", (_what, text) => {
  expect(detectedEncoding(Buffer.from(text, "latin1")).encoding).toBeNull();
  expect(detectedEncoding(Buffer.from(text.repeat(10), "latin1")).encoding).toBeNull();
});

test("what is likely is named", () => {
  for (const text of ["Łukasz Wiśniewski,Kraków", "Łukasz,Żak"]) {
    const { likely } = detectedEncoding(encoded(text, "windows-1250"));
    expect(likely).toContain("windows-1250");
    expect(likely).not.toContain("big5");
  }
});

test("encodings go by the names of the standard and by those of Windows and macOS", () => {
  for (const name of usualEncodings) expect(encodingNamed(name)).toBe(name);
  const known = [
    "UTF8",
    "Latin1",
    "ISO-8859-1",
    "cp1252",
    "CP932",
    "Shift-JIS",
    " sjis ",
    "GBK",
    "MacRoman",
    "ANSI",
    "cp949",
  ];
  expect(known.map(encodingNamed)).toEqual([
    ...[
      "utf-8",
      "windows-1252",
      "windows-1252",
      "windows-1252",
      "shift_jis",
      "shift_jis",
      "shift_jis",
      "gbk",
      "macintosh",
    ],
    ...["windows-1252", "euc-kr"],
  ]);
  expect(["", "utf-9", "x-user-defined", "constructor", "cp437"].map(encodingNamed)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});
