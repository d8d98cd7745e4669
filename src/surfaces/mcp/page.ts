import type { Tool } from "./tools.ts";

/** About 12,000 tokens. A longer result only crowds the rest out of a model's context. */
export const maxAnswerLength = 50_000;

type Fields = Record<string, unknown>;

/**
 * Shortens a result to what a model can handle, and says how to get the rest. `body` is null if no part of it is
 * usable.
 */
export type Page = { body: Fields | null; note: string };

/** Keeps as many items of a list as fit, and says how to get the others. */
export function pageOf(tool: Tool, body: Fields): Page {
  if (lengthOf(body) <= maxAnswerLength) return { body, note: nextPageNote(tool, body) };
  const data = fieldsOf(body["data"]);
  const list = longestList(data);
  if (list === null) return { body: null, note: "" };
  const { name, items } = list;
  // The cursor of the whole page would skip the items that were cut.
  const { [name]: _, nextCursor: __, ...rest } = data;
  const room = maxAnswerLength - lengthOf({ ...body, data: rest });
  const kept = asManyAsFit(items, room);
  if (kept.length === 0) return { body: null, note: "" };
  return { body: { ...body, data: { ...rest, [name]: kept } }, note: cutNote(tool, name, kept.length, items.length) };
}

function nextPageNote({ places }: Tool, { data }: Fields): string {
  const { nextCursor, offset, total, ...rest } = fieldsOf(data);
  if (typeof nextCursor === "string" && places.has("cursor"))
    return `There are more. For the next ones, call again with the same arguments and cursor ${nextCursor}`;
  const shown = Object.values(rest).find(Array.isArray)?.length ?? 0;
  const next = Number(offset) + shown;
  return shown > 0 && next < Number(total) && places.has("offset")
    ? `There are ${Number(total) - next} more. For the next ones, call again with the same arguments and offset ${next}.`
    : "";
}

function cutNote({ places }: Tool, name: string, kept: number, all: number): string {
  const way = places.has("limit")
    ? `Call again with limit ${kept}, and page on from there.`
    : "Request less at a time.";
  return `Only the first ${kept} of ${all} ${name} are shown, because the full result is too long. ${way}`;
}

function longestList(data: Fields) {
  const lists = Object.entries(data).filter((field): field is [string, unknown[]] => Array.isArray(field[1]));
  const [longest] = lists.toSorted(([, a], [, b]) => lengthOf(b) - lengthOf(a));
  return longest === undefined ? null : { name: longest[0], items: longest[1] };
}

function asManyAsFit(items: unknown[], room: number): unknown[] {
  let left = room;
  const end = items.findIndex((item) => (left -= lengthOf(item) + 1) < 0);
  return end === -1 ? items : items.slice(0, end);
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
