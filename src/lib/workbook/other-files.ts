import { readSync } from "node:fs";
import { WorkbookError } from "./workbook-error.ts";
import { protectedWorkbook } from "./zip-parts.ts";

/** Parts that other archives have, and what they are. */
const archives: { part: RegExp; says: string }[] = [
  { part: /^content\.xml$/, says: "an OpenDocument file (.ods). Save the sheet as Excel workbook (.xlsx) or CSV" },
  { part: /^xl\/workbook\.bin$/, says: "a binary Excel workbook (.xlsb). Save it as Excel workbook (.xlsx) or CSV" },
  { part: /^index\/document\.iwa$|^index\.zip$/, says: "a Numbers document. Export it to Excel (.xlsx) or CSV" },
  {
    part: /^word\//,
    says: "a Word document. Copy its table to a sheet, and save that as Excel workbook (.xlsx) or CSV",
  },
  { part: /^ppt\//, says: "a presentation. Export the list as Excel workbook (.xlsx) or CSV" },
];

/** The error for an archive with these parts, none of which is a workbook. */
export function otherArchive(parts: readonly string[]): WorkbookError {
  const kind = archives.find(({ part }) => parts.some((name) => part.test(name)));
  const says = kind?.says ?? "a ZIP archive, not an Excel workbook. Unpack it first";
  return new WorkbookError("notWorkbook", `The file looks like ${says}, then send that.`);
}

/** First bytes of a ZIP archive, as every workbook is; the second form is an empty one. */
export function isZip(head: Uint8Array): boolean {
  const [p, k, third] = head;
  return p === 0x50 && k === 0x4b && (third === 0x03 || third === 0x05);
}

/** First bytes of the container of older Office documents and of protected ones. */
export function isCompoundFile(head: Uint8Array): boolean {
  return oleMark.every((byte, at) => head[at] === byte);
}

const oleMark = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/** The error for such a container: an old workbook, or a protected one ([MS-CFB], [MS-OFFCRYPTO]). */
export function compoundFile(descriptor: number): WorkbookError {
  if (directoryOf(descriptor).includes(utf16("EncryptedPackage"))) return protectedWorkbook();
  return new WorkbookError(
    "notWorkbook",
    "The file looks like an old Excel workbook (.xls). Save it as Excel workbook (.xlsx) or CSV, then send that.",
  );
}

/** The first sector of the directory, which names the first streams. */
function directoryOf(descriptor: number): Buffer {
  const header = Buffer.alloc(76);
  readSync(descriptor, header, 0, header.length, 0);
  const sectorBytes = header.readUInt16LE(0x1e) === 12 ? 4096 : 512;
  const sector = Buffer.alloc(4096);
  const count = readSync(descriptor, sector, 0, sector.length, (header.readUInt32LE(0x30) + 1) * sectorBytes);
  return sector.subarray(0, count);
}

function utf16(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}
