import type { FieldError } from "../../../platform/base/errors.ts";
import { foldedLead, leadIdentity, leadKeysOf, phoneKey } from "../identity.ts";
import { leadStatuses, leadTextFields, type LeadContent, type LeadIdentity, type LeadTextField } from "../model.ts";

/** A row of a file: a lead with the ID it gets if it is new, or its errors. */
export type ImportRow =
  | { row: number; id: string; content: LeadContent; identity: LeadIdentity }
  | { row: number; errors: FieldError[] };

/**
 * Rows of a file as bytes, on their way from the thread that reads it to the database. The store reads the keys and
 * unpacks only rows that need a decision: unpacking each row would take longer than storing it.
 */
export type PackedRows = {
  /** Number of the user in the store, which is part of the keys. */
  owner: number;
  /** Row numbers as in a spreadsheet. */
  numbers: Float64Array<ArrayBuffer>;
  /** `keysOfRow` for each row, NaN for absent ones; a row without any is invalid. */
  keys: Float64Array<ArrayBuffer>;
  /** Indexes in `leadStatuses`. */
  statuses: Uint8Array<ArrayBuffer>;
  /** Rows between commas: each a `PackedLead` or a list of errors, as JSON in UTF-8. */
  json: Uint8Array<ArrayBuffer>;
  /** Offset of each row in `json`, and the end of the last one. */
  starts: Uint32Array<ArrayBuffer>;
  /** Tags in lower case, in the order of their rows, whose indexes are in `tagRows`. */
  tags: string[];
  tagRows: Uint32Array<ArrayBuffer>;
};

type Text = string | null;
/** The stored columns of a lead. `tags` and `customFields` are JSON texts, `folded` is the text that searches read. */
export type PackedLead = [
  id: string,
  ...texts: [Text, Text, Text, Text, Text, Text, Text, Text, Text, Text, Text],
  ...rest: [
    status: LeadContent["status"],
    tags: string,
    customFields: string,
    folded: string,
    assignedTo: string | null,
  ],
];

/** Email address, profile, and name with company, by which duplicates are found. */
export const identityKeysOfRow = 3;
/** And the phone number. */
export const keysOfRow = 4;

const comma = 0x2c;
const startBytes = 2 ** 18;
const decoder = new TextDecoder();

/** Collects rows until they are taken. */
export class RowPacker {
  readonly #owner: number;
  #json = Buffer.alloc(startBytes, ",");
  #length = 1;
  #numbers: number[] = [];
  #keys: number[] = [];
  #statuses: number[] = [];
  #starts: number[] = [];
  #tags: string[] = [];
  #tagRows: number[] = [];

  constructor(owner: number) {
    this.#owner = owner;
  }

  /** Rows that are waiting. */
  get count(): number {
    return this.#numbers.length;
  }

  add(row: number, id: string, content: LeadContent, identity: LeadIdentity): void {
    const { strong, name } = leadKeysOf(this.#owner, identity);
    const phone = content.phone === null ? null : phoneKey(this.#owner, content.phone);
    this.#keys.push(strong[0] ?? Number.NaN, strong[1] ?? Number.NaN, name ?? Number.NaN, phone ?? Number.NaN);
    for (const tag of content.tags) {
      this.#tags.push(tag.toLowerCase());
      this.#tagRows.push(this.count);
    }
    this.#put(row, content.status, packedLead(id, content));
  }

  addErrors(row: number, errors: FieldError[]): void {
    this.#keys.push(Number.NaN, Number.NaN, Number.NaN, Number.NaN);
    this.#put(row, "new", errors);
  }

  take(): PackedRows {
    const packed: PackedRows = {
      owner: this.#owner,
      numbers: new Float64Array(this.#numbers),
      keys: new Float64Array(this.#keys),
      statuses: new Uint8Array(this.#statuses),
      json: new Uint8Array(this.#json.subarray(0, this.#length)),
      starts: new Uint32Array([...this.#starts, this.#length]),
      tags: this.#tags,
      tagRows: new Uint32Array(this.#tagRows),
    };
    this.#length = 1;
    [this.#numbers, this.#keys, this.#statuses, this.#starts, this.#tags, this.#tagRows] = [[], [], [], [], [], []];
    return packed;
  }

  #put(row: number, status: LeadContent["status"], value: PackedLead | FieldError[]): void {
    const text = JSON.stringify(value);
    const most = this.#length + text.length * 3 + 1; // a UTF-16 unit makes at most three bytes of UTF-8
    if (most > this.#json.length) this.#json = Buffer.concat([this.#json], most * 2);
    this.#numbers.push(row);
    this.#statuses.push(leadStatuses.indexOf(status));
    this.#starts.push(this.#length);
    this.#length += this.#json.write(text, this.#length);
    this.#json[this.#length++] = comma;
  }
}

/** Their buffers, which move from thread to thread without being copied. */
export function arraysOf({
  numbers,
  keys,
  statuses,
  json,
  starts,
  tagRows,
}: PackedRows): ArrayBufferView<ArrayBuffer>[] {
  return [numbers, keys, statuses, json, starts, tagRows];
}

/** The rows from one index up to, but not including, another. They share the bytes. */
export function rowsBetween(rows: PackedRows, from: number, to: number): PackedRows {
  const { owner, numbers, keys, statuses, json, starts, tags, tagRows } = rows;
  const firstTag = tagRows.findIndex((row) => row >= from);
  const endOfTags = tagRows.findIndex((row) => row >= to);
  const ofTags = [firstTag === -1 ? tags.length : firstTag, endOfTags === -1 ? tags.length : endOfTags] as const;
  return {
    owner,
    numbers: numbers.subarray(from, to),
    keys: keys.subarray(from * keysOfRow, to * keysOfRow),
    statuses: statuses.subarray(from, to),
    json,
    starts: starts.subarray(from, to + 1),
    tags: tags.slice(...ofTags),
    tagRows: tagRows.subarray(...ofTags).map((row) => row - from),
  };
}

/** Whether the row is a lead; otherwise it is a list of errors. */
export function isLead({ keys }: PackedRows, index: number): boolean {
  const first = index * keysOfRow;
  for (let at = first; at < first + identityKeysOfRow; at++) if (!Number.isNaN(keys[at])) return true;
  return false;
}

/** The row at an index. */
export function unpackedRow(rows: PackedRows, place: number): ImportRow {
  const { numbers, json, starts } = rows;
  const row = numbers[place]!;
  const value = JSON.parse(decoder.decode(json.subarray(starts[place], starts[place + 1]! - 1))) as unknown;
  if (!isLead(rows, place)) return { row, errors: value as FieldError[] };
  const lead = value as PackedLead;
  const content = contentIn(lead);
  return { row, id: lead[0], content, identity: leadIdentity(content) };
}

/** Calls `use` with the bytes of a JSON array of the rows from one index up to, but not including, another. */
export function withList<T>({ json, starts }: PackedRows, from: number, to: number, use: (list: Uint8Array) => T): T {
  const list = json.subarray(starts[from]! - 1, starts[to]);
  const last = list.length - 1;
  [list[0], list[last]] = [0x5b, 0x5d]; // brackets instead of the commas around
  try {
    return use(list);
  } finally {
    [list[0], list[last]] = [comma, comma];
  }
}

function packedLead(id: string, content: LeadContent): PackedLead {
  const { firstName, lastName, email, company, title, phone, networkUrl, industry, location, source, notes } = content;
  const tags = content.tags.length === 0 ? "[]" : JSON.stringify(content.tags);
  const place = [firstName, lastName, email, company, title, phone, networkUrl, industry, location] as const;
  const rest = [tags, JSON.stringify(content.customFields), foldedLead(content), content.assignedTo] as const;
  return [id, ...place, source, notes, content.status, ...rest];
}

function contentIn(lead: PackedLead): LeadContent {
  const texts = {} as Record<LeadTextField, Text>;
  leadTextFields.forEach((field, index) => (texts[field] = lead[index + 1]!));
  const [status, tags, customFields] = [lead[12], lead[13], lead[14]];
  return Object.assign(texts, {
    status,
    tags: tags === "[]" ? [] : (JSON.parse(tags) as string[]),
    customFields: customFields === "{}" ? {} : (JSON.parse(customFields) as Record<string, unknown>),
    assignedTo: lead[16],
  });
}
