import type { AudioTags } from "../tags.ts";

/** The two sizes in a header that are open where the length isn't known: as large as the field can say. */
const openSize = 0xffff_ffff;

/** A whole WAV file of one channel with 16 bits a sample. Samples beyond -1 to 1 are cut off there. */
export function wavBytes(samples: Float32Array, sampleRate: number, tags: AudioTags = {}): Uint8Array {
  const header = wavHeader(sampleRate, { samples: samples.length, tags });
  const file = new Uint8Array(header.length + samples.length * 2);
  file.set(header);
  file.set(wavSamples(samples), header.length);
  return file;
}

/**
 * What stands before the samples of a WAV file of one channel with 16 bits; `wavSamples` of each block follow.
 * Without `samples` (how many will follow) the sizes stay open, which every player takes for "up to the end".
 */
export function wavHeader(
  sampleRate: number,
  { samples, tags = {} }: { samples?: number; tags?: AudioTags } = {},
): Uint8Array {
  const info = infoChunk(tags);
  const dataBytes = samples === undefined ? openSize : samples * 2;
  const header = new Uint8Array(44 + info.length);
  const view = new DataView(header.buffer);
  const ascii = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
  ascii(0, "RIFF");
  view.setUint32(4, samples === undefined ? openSize : header.length - 8 + dataBytes, true);
  ascii(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  // Before the samples, so that it is there even while they still stream.
  header.set(info, 36);
  ascii(36 + info.length, "data");
  view.setUint32(40 + info.length, dataBytes, true);
  return header;
}

/** Samples as 16-bit PCM, lowest byte first. */
export function wavSamples(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i++) {
    const value = Math.round(samples[i]! * 32_767);
    view.setInt16(i * 2, Math.max(-32_768, Math.min(32_767, value)), true);
  }
  return bytes;
}

/** RIFF INFO (Multimedia Programming Interface 1.0, 1991): name, artist, comment, software; texts end with a zero. */
function infoChunk(tags: AudioTags): Uint8Array {
  const ids = { title: "INAM", artist: "IART", comment: "ICMT", software: "ISFT" } as const;
  const texts = (Object.keys(ids) as (keyof AudioTags)[]).flatMap((name) => {
    const text = tags[name];
    return text === undefined ? [] : [riffChunk(ids[name], new TextEncoder().encode(`${text}\0`))];
  });
  return texts.length === 0 ? new Uint8Array(0) : riffChunk("LIST", Buffer.concat([Buffer.from("INFO"), ...texts]));
}

/** A chunk takes an even number of bytes; its size doesn't count the filler. */
function riffChunk(id: string, content: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(8 + content.length + (content.length % 2));
  chunk.set(new TextEncoder().encode(id));
  new DataView(chunk.buffer).setUint32(4, content.length, true);
  chunk.set(content, 8);
  return chunk;
}
