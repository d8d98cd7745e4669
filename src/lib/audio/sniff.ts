import { id3v2Length } from "./id3.ts";
import { isFrameAt } from "./mp3/frame-header.ts";
import type { AudioFormat } from "./pcm.ts";

/** How many bytes from the start of a file `sniffAudio` needs. */
export const sniffLength = 65_536;

/**
 * Which of the formats a file has, by its content alone: names and media types are often wrong. `head` is its
 * beginning, up to `sniffLength` bytes, and `size` how long it is. null: none of them.
 */
export function sniffAudio(head: Uint8Array, size: number): AudioFormat | null {
  const tagLength = id3v2Length(head);
  // A cover picture can be larger than the head; ID3 is the tag of MP3 files.
  if (tagLength >= head.length) return tagLength < size ? "mp3" : null;
  if (tagLength > 0) return sniffAudio(head.subarray(tagLength), size - tagLength);
  if (startsWith(head, "RIFF") || startsWith(head, "RF64")) return startsWith(head, "WAVE", 8) ? "wav" : null;
  if (startsWith(head, "ftyp", 4)) return "m4a";
  if (startsWith(head, "fLaC")) return "flac";
  return otherMagic(head) === null && hasMp3Frames(head, size) ? "mp3" : null;
}

/** Describes a file that `sniffAudio` does not recognize, for people; null if it is unknown here too. */
export function knownOther(head: Uint8Array): string | null {
  const name = otherMagic(head);
  if (name !== null) return name;
  if (isAdtsAt(head, 0)) return "raw AAC (ADTS) without an M4A container";
  if (isLayer1Or2(head)) return "MPEG audio of Layer I or II (MP1, MP2)";
  return null;
}

const others: [magic: string, at: number, name: string][] = [
  ["RIFX", 0, "WAV in big-endian order (RIFX)"],
  ["AVI ", 8, "AVI video"],
  ["OggS", 0, "Ogg (Vorbis, Opus or FLAC)"],
  ["FORM", 0, "AIFF"],
  ["caff", 0, "Core Audio (CAF)"],
  ["#!AMR", 0, "AMR"],
  ["\x1aE\xdf\xa3", 0, "WebM or Matroska"],
  ["0&\xb2u", 0, "Windows Media (WMA)"],
  ["MThd", 0, "MIDI"],
  ["\x89PNG", 0, "PNG picture"],
  ["\xff\xd8\xff", 0, "JPEG picture"],
  ["GIF8", 0, "GIF picture"],
  ["%PDF", 0, "PDF"],
  ["PK\x03\x04", 0, "ZIP archive"],
  ["<", 0, "web page or XML"],
];

function otherMagic(head: Uint8Array): string | null {
  return others.find(([magic, at]) => startsWith(head, magic, at))?.[2] ?? null;
}

function startsWith(bytes: Uint8Array, magic: string, at = 0): boolean {
  if (bytes.length < at + magic.length) return false;
  for (let i = 0; i < magic.length; i++) if (bytes[at + i] !== magic.charCodeAt(i)) return false;
  return true;
}

/** Recordings of a stream may start in the middle of a frame. */
function hasMp3Frames(bytes: Uint8Array, endsAt: number): boolean {
  for (let at = 0; at + 4 <= bytes.length; at++) if (isFrameAt(bytes, at, endsAt)) return true;
  return false;
}

/** ADTS and MPEG audio start alike, but the two layer bits are zero in ADTS. Two frames must follow. */
function isAdtsAt(bytes: Uint8Array, at: number): boolean {
  const isSync = (i: number) => bytes[i] === 0xff && (bytes[i + 1]! & 0xf6) === 0xf0;
  if (at + 7 > bytes.length || !isSync(at)) return false;
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
  return length >= 7 && (at + length >= bytes.length || isSync(at + length));
}

function isLayer1Or2(bytes: Uint8Array): boolean {
  const layerBits = (bytes[1]! >> 1) & 3;
  return (
    bytes.length > 4 && bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0 && layerBits >= 2 && bytes[2]! >> 4 !== 15
  );
}
