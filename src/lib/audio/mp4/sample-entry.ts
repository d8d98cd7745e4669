import type { ByteSource } from "../byte-source.ts";
import { AudioError } from "../pcm.ts";
import { type Box, boxesIn, readContent } from "./boxes.ts";

/** What the samples of a track are, and what the codec needs to know before the first. */
export type SampleEntry = { codec: "aac" | "alac"; config: Uint8Array };

/** Longer descriptions than any codec has. */
const maxDescription = 65_536;

/** Reads the first entry of `stsd`. Throws `AudioError` for codecs that aren't read here. */
export function readSampleEntry(source: ByteSource, description: Box): SampleEntry {
  const [entry] = boxesIn(source, { start: description.start + 8, end: description.end });
  if (entry === undefined) throw new AudioError("corrupt", "M4A file doesn't say how its audio is coded.");
  // QuickTime's versions 1 and 2 of this entry have more fields before the boxes.
  const version = readContent(source, entry, 10).getUint16(8);
  const fields = 28 + (version === 1 ? 16 : version === 2 ? 36 : 0);
  const inner = { start: entry.start + fields, end: entry.end };
  const config = findConfig(source, inner, entry.type);
  if (config?.codec === "aac" || config?.codec === "alac") return { codec: config.codec, config: config.bytes };
  if (config === null && (entry.type === "mp4a" || entry.type === "alac")) {
    throw new AudioError("corrupt", "M4A file doesn't describe its audio.");
  }
  throw new AudioError("unsupported", unsupported(config?.codec ?? entry.type));
}

function unsupported(codec: string): string {
  if (codec === "enca" || codec === "drms") return "The M4A file is protected against copying, so it can't be read.";
  const name = codec.replaceAll(/[^ -~]/g, "?").trim();
  return `M4A with codec "${name}" can't be read. Save the recording as AAC, Apple Lossless, MP3, WAV or FLAC.`;
}

/** QuickTime puts the description into a box `wave`. */
function findConfig(
  source: ByteSource,
  place: Pick<Box, "start" | "end">,
  entryType: string,
  depth = 0,
): { codec: string; bytes: Uint8Array } | null {
  for (const box of boxesIn(source, place)) {
    const content = () => source.read(box.start, Math.min(box.end - box.start, maxDescription));
    if (box.type === "esds") return readElementaryStream(content());
    // Four bytes of version and flags come first.
    if (box.type === "alac" && entryType === "alac") return { codec: "alac", bytes: content().subarray(4) };
    if (box.type === "wave" && depth === 0) {
      const found = findConfig(source, box, entryType, 1);
      if (found !== null) return found;
    }
  }
  return null;
}

const tags = { stream: 3, decoderConfig: 4, decoderSpecific: 5 } as const;

/** Descriptors within descriptors (ISO/IEC 14496-1 section 7.2.6): the codec's number, and its own description. */
function readElementaryStream(bytes: Uint8Array): { codec: string; bytes: Uint8Array } | null {
  let at = 4;
  const enter = (tag: number): number | null => {
    if (bytes[at] !== tag) return null;
    at += 1;
    let length = 0;
    for (let i = 0; i < 4; i++) {
      const byte = bytes[at++] ?? 0;
      length = (length << 7) | (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return length;
  };
  if (enter(tags.stream) === null) return null;
  const flags = bytes[at + 2] ?? 0;
  at += 3;
  if (flags & 0x80) at += 2;
  if (flags & 0x40) at += 1 + (bytes[at] ?? 0);
  if (flags & 0x20) at += 2;
  if (enter(tags.decoderConfig) === null) return null;
  const type = bytes[at] ?? 0;
  at += 13;
  const length = enter(tags.decoderSpecific) ?? 0;
  return { codec: codecName(type), bytes: bytes.subarray(at, at + length) };
}

/** The object types of MPEG-4 and MPEG-2 AAC and of MP3, as the MP4 registration authority lists them. */
function codecName(type: number): string {
  if (type === 0x40 || (type >= 0x66 && type <= 0x68)) return "aac";
  if (type === 0x69 || type === 0x6b) return "MP3";
  return `0x${type.toString(16)}`;
}
