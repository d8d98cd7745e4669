const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packaged = "http://schemas.openxmlformats.org/package/2006";
const mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Numbers of the styles in `stylesXml`. */
export const cellStyles = { text: 1, dateTime: 2, header: 3 } as const;

/** Cells with a text have the format "Text", so that they stay texts when somebody edits them. */
export const stylesXml =
  `${declaration}<styleSheet xmlns="${main}">` +
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

export const rootRelations = relations([relation(1, "officeDocument", "xl/workbook.xml")]);

/** A sheet up to its first row. The header stays visible. */
export function sheetStart(columns: number): string {
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols><col min="1" max="${columns}" width="20" customWidth="1"/></cols><sheetData>`
  );
}

export const sheetEnd = "</sheetData></worksheet>";

export function workbookXml(sheets: readonly string[]): string {
  const listed = sheets.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${listed.join("")}</sheets></workbook>`;
}

export function workbookRelations(sheets: number): string {
  const ofSheets = Array.from({ length: sheets }, (_, at) =>
    relation(at + 1, "worksheet", `worksheets/sheet${at + 1}.xml`),
  );
  return relations([...ofSheets, relation(sheets + 1, "styles", "styles.xml")]);
}

export function contentTypes(sheets: number): string {
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}" ContentType="${mediaType}.${type}+xml"/>`;
  const ofSheets = Array.from({ length: sheets }, (_, at) => override(`worksheets/sheet${at + 1}.xml`, "worksheet"));
  return (
    `${declaration}<Types xmlns="${packaged}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override("workbook.xml", "sheet.main")}${override("styles.xml", "styles")}${ofSheets.join("")}</Types>`
  );
}

/** The name of a column by its index, such as AB. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${office}/${type}" Target="${target}"/>`;
}

function relations(all: readonly string[]): string {
  return `${declaration}<Relationships xmlns="${packaged}/relationships">${all.join("")}</Relationships>`;
}
