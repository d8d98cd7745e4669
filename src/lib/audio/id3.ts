import type { ByteSource } from "./byte-source.ts";
import { ByteWindow } from "./byte-window.ts";

/** More than any file has, unless it was made to keep a reader busy. */
const maxTags = 1_000;

/**
 * Returns where the ID3v2 tags at the start of a file end; 0 if it has none. This can be past the end of a truncated
 * file.
 */
export function id3TagsEnd(source: ByteSource): number {
  const window = new ByteWindow(source);
  // Some programs add a tag without checking for one, so there may be several.
  for (let tags = 0; tags < maxTags; tags++) {
    const length = id3v2Length(window.peek(10));
    if (length === 0 || length > window.remaining) return window.position + length;
    window.skip(length);
  }
  return window.position;
}

/** Returns the size of the ID3v2 tag that starts with `head` (ten bytes); 0 if it is not a tag. */
export function id3v2Length(head: Uint8Array): number {
  const isTag = head.length >= 10 && head[0] === 0x49 && head[1] === 0x44 && head[2] === 0x33;
  if (!isTag) return 0;
  // ID3v2, section 3.1: four bytes of seven bits; a footer as long as the header may follow.
  const content = ((head[6]! & 127) << 21) | ((head[7]! & 127) << 14) | ((head[8]! & 127) << 7) | (head[9]! & 127);
  return 10 + content + (head[5]! & 0x10 ? 10 : 0);
}
