/** The bytes are not readable audio; the message completes "The vendor sent ...". */
export class NoSound extends Error {}

/** Encoding of the samples; `channels` are interleaved. */
export type SampleFormat = { encoding: "integer" | "float"; bytesPerSample: number; channels: number };
type Found = {
  format: SampleFormat & { sampleRate: number };
  /** Offset of the samples from the start of the file. */
  dataStart: number;
  /** Null if the file does not say, or has a placeholder from a streaming server. */
  dataBytes: number | null;
  /** The samples that have already arrived. */
  rest: Uint8Array;
};

/** More than any server writes before the samples, but small, because each chunk rescans all of it. */
const maxHeadBytes = 64 * 1024;
/** Streams claim 0x7fffffff, 0xffffffff, or a little less; no speech lasts for hours. */
const openBytes = 0x7000_0000;

/** Parses the start of a WAV file, up to its samples, from chunks of any length (RIFF, 1991). */
export class WavHead {
  #bytes: Buffer = Buffer.alloc(0);

  /** Returns null until the samples start. Throws `NoSound` if this is not WAV or not readable. */
  read(chunk: Uint8Array): Found | null {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const bytes = this.#bytes;
    if (!couldBeWav(bytes)) throw new NoSound("something that is not WAV audio");
    let format: Found["format"] | null = null;
    for (let at = 12; at + 8 <= bytes.byteLength;) {
      const id = bytes.toString("latin1", at, at + 4);
      const size = bytes.readUInt32LE(at + 4);
      if (id === "data") {
        if (format === null) throw new NoSound("WAV audio without a format chunk");
        const dataBytes = size === 0 || size >= openBytes ? null : size;
        return { format, dataStart: at + 8, dataBytes, rest: bytes.subarray(at + 8) };
      }
      if (id === "fmt " && at + 8 + Math.min(size, 40) <= bytes.byteLength)
        format = formatOf(bytes.subarray(at + 8, at + 8 + size));
      at += 8 + size + (size % 2);
    }
    if (bytes.byteLength > maxHeadBytes) throw new NoSound("WAV audio without samples");
    return null;
  }
}

function couldBeWav(bytes: Buffer): boolean {
  const magic = bytes.toString("latin1", 0, 4);
  const isRiff = "RIFF".startsWith(magic) || "RF64".startsWith(magic);
  return isRiff && "WAVE".startsWith(bytes.toString("latin1", 8, 12));
}

const extensible = 0xfffe;

function formatOf(chunk: Buffer): Found["format"] {
  if (chunk.byteLength < 16) throw new NoSound("WAV audio with a damaged format chunk");
  const tag = chunk.readUInt16LE(0);
  const encoding = tag === extensible && chunk.byteLength >= 26 ? chunk.readUInt16LE(24) : tag;
  const [channels, sampleRate, bits] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
  const isPossible = channels >= 1 && channels <= 8 && sampleRate >= 4000 && sampleRate <= 384_000;
  const isInteger = encoding === 1 && [16, 24, 32].includes(bits);
  if (!isPossible || !(isInteger || (encoding === 3 && bits === 32)))
    throw new NoSound(`WAV audio in an unsupported format (${encoding}, ${bits} bits, ${sampleRate} Hz)`);
  return { encoding: isInteger ? "integer" : "float", bytesPerSample: bits / 8, channels, sampleRate };
}

/** Returns the first `seconds` of a WAV file. Throws `NoSound` if it is not one. */
export function cutWav(file: Uint8Array, seconds: number): Uint8Array {
  const found = new WavHead().read(file);
  if (found === null) throw new NoSound("a WAV file without samples");
  const { format, dataStart } = found;
  const frameBytes = format.bytesPerSample * format.channels;
  const wanted = Math.floor(seconds * format.sampleRate) * frameBytes;
  const cut = Buffer.from(file.subarray(0, dataStart + wanted));
  cut.writeUInt32LE(cut.byteLength - 8, 4);
  cut.writeUInt32LE(cut.byteLength - dataStart, dataStart - 4);
  return cut;
}
