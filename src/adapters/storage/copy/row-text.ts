import type { ColumnKind, CopiedColumn } from "./copied-table.ts";

// A row is one line of text in the format of PostgreSQL's COPY, whichever engine it is stored in: fields are separated by
// tabs, \N is null, and a backslash escapes. The same row has the same line in both engines, so lines can be compared.

export type Value = string | number | Uint8Array | null;

/** Returns lines for the values that SQLite has stored. */
export function encodeRows(columns: readonly CopiedColumn[], rows: readonly (readonly unknown[])[]): Buffer {
  const encoders = columns.map(({ kind }) => encoderOf[kind]);
  let text = "";
  for (const row of rows) {
    for (let at = 0; at < encoders.length; at++) {
      const value = row[at];
      const field = value === null ? "\\N" : encoders[at]!(value as never);
      text += at === 0 ? field : `\t${field}`;
    }
    text += "\n";
  }
  return Buffer.from(text);
}

const encoderOf: Record<ColumnKind, (value: never) => string> = {
  text: (value: string) => escaped(storable(value)),
  whole: String,
  real: String,
  flag: (value: number) => (value === 0 ? "f" : "t"),
  json: (value: string) => escaped(storable(value)),
  object: (value: string) => escaped(canonicalJson(value)),
  bytes: (value: Uint8Array) => `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`,
};

/** Returns the values of a line, without its end, as SQLite stores them. */
export function decodeRow(columns: readonly CopiedColumn[], line: string): Value[] {
  const fields = line.split("\t");
  return columns.map(({ kind }, at) => (fields[at] === "\\N" ? null : decoderOf[kind](fields[at]!)));
}

const decoderOf: Record<ColumnKind, (field: string) => Value> = {
  text: unescaped,
  whole: Number,
  real: Number,
  flag: (field) => (field === "t" ? 1 : 0),
  json: unescaped,
  object: unescaped,
  bytes: (field) => Buffer.from(field.slice(3), "hex"),
};

/**
 * Returns the lines of PostgreSQL as `encodeRows` would: it writes numbers and JSONB in another form. Not a copy if all of
 * them have it already.
 */
export function canonicalRows(columns: readonly CopiedColumn[], lines: Buffer): Buffer {
  const changed = columns.flatMap(({ kind }, at) => (kind === "real" || kind === "object" ? [at] : []));
  if (changed.length === 0) return lines;
  let text = "";
  for (const line of lines.toString("utf8").split("\n")) {
    if (line === "") continue;
    const fields = line.split("\t");
    for (const at of changed) fields[at] = canonicalField(columns[at]!.kind, fields[at]!);
    text += `${fields.join("\t")}\n`;
  }
  return Buffer.from(text);
}

function canonicalField(kind: ColumnKind, field: string): string {
  if (field === "\\N") return field;
  return kind === "real" ? String(Number(field)) : escaped(canonicalJson(unescaped(field)));
}

/** The lines of a chunk, which ends with a line. */
export function linesIn(lines: Buffer): string[] {
  const all = lines.toString("utf8").split("\n");
  all.pop();
  return all;
}

// oxlint-disable-next-line no-control-regex -- those that COPY escapes
const special = /[\\\b\f\n\r\t\v]/g;
const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};
const characters = new Map(Object.entries(escapes).map(([character, escape]) => [escape, character]));

function escaped(text: string): string {
  special.lastIndex = 0;
  return special.test(text) ? text.replace(special, (character) => escapes[character]!) : text;
}

function unescaped(field: string): string {
  return field.includes("\\") ? field.replaceAll(/\\./gs, (escape) => characters.get(escape) ?? escape) : field;
}

const replacement = "\ufffd";

/** PostgreSQL stores no U+0000, and neither engine half of a surrogate pair. */
function storable(text: string): string {
  return (text.includes("\0") ? text.replaceAll("\0", replacement) : text).toWellFormed();
}

/** JSON without spaces, and with names in order. */
export function canonicalJson(text: string): string {
  if (text === "[]" || text === "{}") return text;
  return stable(JSON.parse(text));
}

function stable(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(storable(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stable).join(",")}]`;
  const entries = Object.entries(value).map(([name, of]) => `${JSON.stringify(storable(name))}:${stable(of)}`);
  return `{${entries.sort().join(",")}}`;
}
