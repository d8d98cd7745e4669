import type { AudioTags } from "../tags.ts";

/** An AAC stream of one channel, ready to be put into a file. */
export type AacStream = {
  frames: Uint8Array[];
  sampleRate: number;
  /** AudioSpecificConfig. */
  config: Uint8Array;
  /** Samples of sound, and how many the encoder put before it. */
  samples: number;
  delay: number;
  averageBitrate: number;
};

const frameSamples = 1024;

/** An M4A file whose index comes first, so that players can begin before they have all of it. */
export function m4aBytes(stream: AacStream, tags: AudioTags = {}): Uint8Array {
  const type = box("ftyp", ascii("M4A "), uint32(0), ascii("M4A mp42isom"));
  const length = (chunkOffset: number) => movie(stream, tags, chunkOffset);
  // The index contains the offsets of the frames, which depend on its length, but not the other way around.
  const dataStart = type.length + length(0).length + 8;
  return new Uint8Array(Buffer.concat([type, length(dataStart), box("mdat", ...stream.frames)]));
}

function movie(stream: AacStream, tags: AudioTags, chunkOffset: number): Uint8Array {
  const { sampleRate, samples } = stream;
  const identity = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map((value) => uint32(value));
  const mvhd = fullBox(
    "mvhd",
    0,
    uint32(0, 0, sampleRate, samples, 0x10000),
    bytes(1, 0),
    new Uint8Array(10),
    ...identity,
    new Uint8Array(24),
    uint32(2),
  );
  return box("moov", mvhd, track(stream, identity, chunkOffset), userData(tags));
}

function track(stream: AacStream, identity: Uint8Array[], chunkOffset: number): Uint8Array {
  const { sampleRate, samples, delay, frames } = stream;
  // Flags: in use, part of the movie. Full volume.
  const tkhd = fullBox("tkhd", 3, uint32(0, 0, 1, 0, samples, 0, 0), uint16(0, 0, 0x100, 0), ...identity, uint32(0, 0));
  const edits = box("edts", fullBox("elst", 0, uint32(1, samples, delay, 0x10000)));
  // 0x55c4: no language.
  const mdhd = fullBox("mdhd", 0, uint32(0, 0, sampleRate, frames.length * frameSamples), uint16(0x55c4, 0));
  const hdlr = fullBox("hdlr", 0, uint32(0), ascii("soun"), uint32(0, 0, 0), ascii("Sound\0"));
  const dataReference = box("dinf", fullBox("dref", 0, uint32(1), fullBox("url ", 1)));
  const minf = box("minf", fullBox("smhd", 0, uint32(0)), dataReference, sampleTables(stream, chunkOffset));
  return box("trak", tkhd, edits, box("mdia", mdhd, hdlr, minf));
}

/** All frames lie in one chunk. */
function sampleTables({ frames, sampleRate, config, averageBitrate }: AacStream, chunkOffset: number): Uint8Array {
  const largest = Math.max(0, ...frames.map((frame) => frame.length));
  const decoderConfig = descriptor(
    4,
    bytes(0x40, 0x15, largest >> 16, largest >> 8, largest),
    uint32((largest * 8 * sampleRate) / frameSamples, averageBitrate),
    descriptor(5, config),
  );
  const esds = fullBox("esds", 0, descriptor(3, uint16(1), bytes(0), decoderConfig, descriptor(6, bytes(2))));
  const entry = box(
    "mp4a",
    new Uint8Array(6),
    uint16(1),
    uint32(0, 0),
    uint16(1, 16, 0, 0),
    uint32(sampleRate * 65_536),
    esds,
  );
  return box(
    "stbl",
    fullBox("stsd", 0, uint32(1), entry),
    fullBox("stts", 0, uint32(1, frames.length, frameSamples)),
    fullBox("stsc", 0, uint32(1, 1, frames.length, 1)),
    fullBox("stsz", 0, uint32(0, frames.length), uint32(...frames.map((frame) => frame.length))),
    fullBox("stco", 0, uint32(1, chunkOffset)),
  );
}

/** Texts as iTunes writes them, which all players read. */
function userData(tags: AudioTags): Uint8Array {
  const names = { title: "\xa9nam", artist: "\xa9ART", comment: "\xa9cmt", software: "\xa9too" } as const;
  const items = (Object.keys(names) as (keyof AudioTags)[]).flatMap((name) => {
    const text = tags[name];
    if (text === undefined) return [];
    // Kind 1 is UTF-8.
    return [box(names[name], box("data", uint32(1, 0), new TextEncoder().encode(text)))];
  });
  if (items.length === 0) return new Uint8Array(0);
  const handler = fullBox("hdlr", 0, uint32(0), ascii("mdirappl"), uint32(0, 0), bytes(0));
  return box("udta", fullBox("meta", 0, handler, box("ilst", ...items)));
}

function box(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([uint32(length), ascii(type), ...content]);
}

function fullBox(type: string, flags: number, ...content: Uint8Array[]): Uint8Array {
  return box(type, uint32(flags), ...content);
}

/** Lengths below 128, in the short form. */
function descriptor(tag: number, ...content: Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content);
  return Buffer.concat([bytes(tag, body.length), body]);
}

function uint32(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [i, value] of values.entries()) view.setUint32(i * 4, value);
  return new Uint8Array(view.buffer);
}

function uint16(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value & 0xff]));
}

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

/** One byte a character. */
function ascii(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
