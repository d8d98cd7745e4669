import { strToU8, zipSync, type Zippable } from "fflate";

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packaged = "http://schemas.openxmlformats.org/package/2006/relationships";

export type SheetOptions = { name: string; rows: string; state?: "hidden" };

export type WorkbookOptions = {
  sheets: SheetOptions[];
  /** XML of the `si` elements. */
  texts?: string;
  /** Number formats of the cell styles, in order: the number of a built-in one, or the code of a custom one. */
  formats?: (number | string)[];
  is1904?: boolean;
  /** Replaces or adds parts; null removes one. */
  parts?: Record<string, string | Uint8Array | null>;
};

/** An Excel workbook with these sheets; `rows` is the XML of their rows. */
export function workbookFile({ sheets, texts, formats = [], is1904 = false, parts = {} }: WorkbookOptions): Uint8Array {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const relations = (text: string) => `${declaration}<Relationships xmlns="${packaged}">${text}</Relationships>`;
  const all: Record<string, string | Uint8Array | null> = {
    "[Content_Types].xml": `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    "_rels/.rels": relations(relation("rId1", "officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml":
      `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr${is1904 ? ' date1904="1"' : ""}/><sheets>` +
      sheets
        .map(
          ({ name, state }, at) =>
            `<sheet name="${name}" sheetId="${at + 1}"${state ? ` state="${state}"` : ""} r:id="rId${at + 1}"/>`,
        )
        .join("") +
      "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": relations(
      sheets.map((_, at) => relation(`rId${at + 1}`, "worksheet", `worksheets/sheet${at + 1}.xml`)).join("") +
        relation("rId901", "styles", "styles.xml") +
        relation("rId902", "sharedStrings", "/xl/sharedStrings.xml"),
    ),
    "xl/styles.xml": stylesOf(formats),
    ...(texts !== undefined && {
      "xl/sharedStrings.xml": `${declaration}<sst xmlns="${main}">${texts}</sst>`,
    }),
    ...Object.fromEntries(sheets.map(({ rows }, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetXml(rows)])),
    ...parts,
  };
  const files: Zippable = {};
  for (const [name, content] of Object.entries(all))
    if (content !== null) files[name] = typeof content === "string" ? strToU8(content) : content;
  return zipSync(files, { level: 6 });
}

export function sheetXml(rows: string): string {
  return `${declaration}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;
}

function stylesOf(formats: (number | string)[]): string {
  const custom = formats.flatMap((format, at) =>
    typeof format === "string"
      ? [`<numFmt numFmtId="${164 + at}" formatCode="${format.replaceAll('"', "&quot;")}"/>`]
      : [],
  );
  const styles = formats.map((format, at) => `<xf numFmtId="${typeof format === "number" ? format : 164 + at}"/>`);
  return (
    `${declaration}<styleSheet xmlns="${main}"><numFmts>${custom.join("")}</numFmts>` +
    `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join("")}</cellXfs></styleSheet>`
  );
}

/** The XML of rows of texts, which start at `first`. */
export function textRows(rows: readonly (readonly string[])[], first = 1): string {
  return rows
    .map((cells, at) => {
      const row = first + at;
      const xml = cells.map((text) => `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`);
      return `<row r="${row}">${xml.join("")}</row>`;
    })
    .join("");
}

export function peopleWorkbook(rows: readonly (readonly string[])[], name = "People"): Uint8Array {
  return workbookFile({ sheets: [{ name, rows: textRows(rows) }] });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The container of a protected workbook, or of an old one: a header, then the directory with this stream. */
export function compoundFile(stream: "EncryptedPackage" | "Workbook"): Uint8Array {
  const file = Buffer.alloc(1536);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file);
  file.writeUInt16LE(9, 0x1e); // sectors of 2^9 bytes
  file.writeUInt32LE(1, 0x30); // the directory is in the second
  file.write("Root Entry", 1024, "utf16le");
  file.write(stream, 1024 + 128, "utf16le");
  return file;
}
