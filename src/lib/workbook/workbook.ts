import { cellFormat, type CellFormat } from "./cell-formats.ts";
import { longestText, longText, SharedStrings } from "./shared-strings.ts";
import { cellText, SheetRows, type SheetRow } from "./sheet-rows.ts";
import { otherArchive } from "./other-files.ts";
import { damaged, tooLarge, WorkbookError } from "./workbook-error.ts";
import { readXml } from "./xml-reader.ts";
import { ZipParts, type ZipLimits } from "./zip-parts.ts";

/** A sheet with cells. */
export type Sheet = { name: string; isHidden: boolean; part: string };

type Relation = { type: string; target: string };

/** Excel has no limit but memory; nobody selects among more. */
const maxSheets = 1000;
/** What a part may refer to: sheets, pictures, and links. */
const maxRelations = 10_000;
/** Of the name of a sheet and the code of a format, of which Excel allows 31 and 255 characters. */
const longestName = 255;
const maxFormats = 100_000;

/**
 * An Excel workbook (.xlsx, .xlsm; ECMA-376 in both forms), read in memory that does not grow with its sheets. The
 * descriptor belongs to the caller and stays open.
 */
export class Workbook {
  /** Sheets with cells, in the order of their tabs, at least one. */
  readonly sheets: readonly Sheet[];
  readonly #parts: ZipParts;
  readonly #is1904: boolean;
  readonly #stylesPart: string | null;
  readonly #textsPart: string | null;

  private constructor(parts: ZipParts, { sheets, is1904, stylesPart, textsPart }: Layout) {
    this.sheets = sheets;
    this.#parts = parts;
    this.#is1904 = is1904;
    this.#stylesPart = stylesPart;
    this.#textsPart = textsPart;
  }

  /** Throws WorkbookError if the file is not a workbook that can be read. */
  static async open(descriptor: number, limits?: ZipLimits): Promise<Workbook> {
    const parts = await ZipParts.open(descriptor, limits);
    return new Workbook(parts, await layoutOf(parts));
  }

  /** Packed bytes read so far, which are those of the file but for pictures and other sheets. */
  get bytesRead(): number {
    return this.#parts.bytesRead;
  }

  /**
   * The sheet with this name, or else with this number, which counts from 1; null is the first one that is not hidden.
   * Throws WorkbookError if it does not exist.
   */
  sheet(name: string | null): Sheet {
    if (name === null) return this.sheets.find(({ isHidden }) => !isHidden) ?? this.sheets[0]!;
    const wanted = name.trim().toLowerCase();
    const found =
      this.sheets.find((sheet) => sheet.name === name) ??
      this.sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted) ??
      (/^\d{1,4}$/.test(wanted) ? this.sheets[Number(wanted) - 1] : undefined);
    if (found !== undefined) return found;
    const names = this.sheets.map((sheet) => sheet.name);
    const listed = names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${names.length - 20} more` : "");
    throw new WorkbookError(
      "noSheet",
      `The workbook has no sheet called "${name.slice(0, 100)}". It has: ${listed}.`,
      names.slice(0, 100),
    );
  }

  /** The rows of a sheet that are not empty, in order, piece by piece. Throws WorkbookError. */
  async *rows({ part }: Sheet): AsyncGenerator<SheetRow[], void, void> {
    const formats = this.#stylesPart === null ? [] : await formatsIn(this.#parts, this.#stylesPart);
    const texts = this.#textsPart === null ? new SharedStrings() : await textsIn(this.#parts, this.#textsPart);
    const reader = new SheetRows(part, { texts, formats, is1904: this.#is1904 });
    for await (const piece of this.#parts.read(part)) {
      const rows = reader.take(piece);
      if (rows.length > 0) yield rows;
    }
    yield reader.take(null);
  }
}

type Layout = { sheets: Sheet[]; is1904: boolean; stylesPart: string | null; textsPart: string | null };

async function layoutOf(parts: ZipParts): Promise<Layout> {
  const root = parts.has("_rels/.rels") ? [...(await relationsOf(parts, "")).values()] : [];
  const main = root.find(({ type }) => type.endsWith("/officeDocument"))?.target ?? "xl/workbook.xml";
  if (!parts.has(main) || /\.bin$|^(word|ppt)\//i.test(main)) throw otherArchive(parts.names);
  const relations = await relationsOf(parts, main);
  const found: { name: string; isHidden: boolean; id: string }[] = [];
  let is1904 = false;
  await readXml(main, parts.read(main), {
    open(name, attributes) {
      if (name === "workbookPr") is1904 = isTrue(attributes["date1904"]);
      if (name !== "sheet") return;
      if (found.length === maxSheets) throw tooLarge(`The workbook has more than ${maxSheets} sheets.`);
      const id = Object.entries(attributes).find(([key]) => /(^|:)id$/.test(key))?.[1] ?? "";
      const state = attributes["state"] ?? "visible";
      found.push({
        name: cellText((attributes["name"] ?? "").slice(0, longestName)),
        isHidden: state !== "visible",
        id,
      });
    },
  });
  // The others are charts and dialogs.
  const sheets = found.flatMap(({ name, isHidden, id }) => {
    const relation = relations.get(id);
    return relation?.type.endsWith("/worksheet") ? [{ name, isHidden, part: relation.target }] : [];
  });
  if (sheets.length === 0) throw damaged("it has no sheet with cells.");
  const partOf = (type: string): string | null => {
    const part = [...relations.values()].find((relation) => relation.type.endsWith(type))?.target;
    return part !== undefined && parts.has(part) ? part : null;
  };
  return { sheets, is1904, stylesPart: partOf("/styles"), textsPart: partOf("/sharedStrings") };
}

/** What a part refers to, by ID. */
async function relationsOf(parts: ZipParts, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const path = `${folder}_rels/${part.slice(slash)}.rels`;
  const relations = new Map<string, Relation>();
  await readXml(path, parts.read(path), {
    open(name, { Id: id, Type: type, Target: target }) {
      if (name !== "Relationship" || id === undefined || target === undefined) return;
      if (relations.size === maxRelations) throw tooLarge(`The workbook has more than ${maxRelations} relations.`);
      relations.set(id, { type: type ?? "", target: resolved(folder, target) });
    },
  });
  return relations;
}

/** The path of a target, which is relative to the folder of its source unless it starts with a slash. */
function resolved(folder: string, target: string): string {
  const { pathname } = new URL(target, `file:///${folder}`);
  return decodeURIComponent(pathname.slice(1));
}

async function textsIn(parts: ZipParts, part: string): Promise<SharedStrings> {
  const texts = new SharedStrings();
  let text = "";
  let isReading = false;
  let isPhonetic = false;
  await readXml(
    part,
    parts.read(part),
    {
      open(name) {
        if (name === "si") text = "";
        else if (name === "rPh") isPhonetic = true;
        else if (name === "t") isReading = !isPhonetic;
      },
      text(piece) {
        if (isReading) text += piece;
        if (text.length > longestText) throw longText();
      },
      close(name) {
        if (name === "t") isReading = false;
        else if (name === "rPh") isPhonetic = false;
        else if (name === "si") texts.add(cellText(text));
      },
    },
    Infinity,
  );
  return texts;
}

/** The format of each cell style. */
async function formatsIn(parts: ZipParts, part: string): Promise<CellFormat[]> {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let isCellStyle = false;
  await readXml(part, parts.read(part), {
    open(name, { numFmtId = "0", formatCode = "" }) {
      if (name === "numFmt") codes.set(Number(numFmtId), formatCode.slice(0, longestName));
      else if (name === "cellXfs") isCellStyle = true;
      else if (name === "xf" && isCellStyle) formats.push(cellFormat(Number(numFmtId), codes.get(Number(numFmtId))));
      if (formats.length > maxFormats || codes.size > maxFormats)
        throw tooLarge(`The workbook has more than ${maxFormats.toLocaleString("en-US")} cell styles.`);
    },
    close(name) {
      if (name === "cellXfs") isCellStyle = false;
    },
  });
  return formats;
}

function isTrue(value = "false"): boolean {
  return value === "1" || value === "true";
}
