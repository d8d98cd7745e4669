import { BitReader, padded } from "../bit-reader.ts";
import { type Bands, bandsOf } from "./bands.ts";
import { type ChannelStream, readChannelStream } from "./channel-stream.ts";
import type { AacConfig } from "./config.ts";
import { dequantise, fillNoise, NoiseGenerator } from "./dequantise.ts";
import { AacFilterbank } from "./filterbank.ts";
import { applyIntensity, midSideEverywhere, type MidSideMask, separateMidSide, shareNoise } from "./stereo.ts";
import { applyShaping } from "./temporal-shaping.ts";
import { DamagedFrame, frameLines, readWindowInfo, type WindowInfo } from "./window-info.ts";

/** Samples a channel in every frame. */
export const aacFrameSamples = frameLines;

/** The elements of a frame (ISO/IEC 14496-3 table 4.85). */
const elements = { single: 0, pair: 1, coupling: 2, lowFrequency: 3, bytes: 4, program: 5, fill: 6, end: 7 } as const;

type Channel = { spectrum: Float64Array; filterbank: AacFilterbank; pcm: Float32Array };

/** Decodes AAC-LC frames of one stream, in order (ISO/IEC 14496-3 subpart 4). */
export class AacDecoder {
  readonly #bands: Bands;
  readonly #channels: Channel[];
  readonly #output: Float32Array[];
  readonly #noise = new NoiseGenerator();

  constructor({ rateIndex, channels }: AacConfig) {
    this.#bands = bandsOf(rateIndex);
    this.#channels = Array.from({ length: channels }, newChannel);
    this.#output = this.#channels.map(({ pcm }) => pcm);
  }

  /** The samples of each channel, used again by the next call; null: the frame is damaged. */
  decode(frame: Uint8Array): Float32Array[] | null {
    const bits = new BitReader(padded(frame), frame.length);
    try {
      const decoded = this.#readElements(bits);
      for (const channel of this.#channels.slice(decoded)) channel.pcm.fill(0);
      return decoded > 0 ? this.#output : null;
    } catch (error) {
      if (error instanceof DamagedFrame) return null;
      throw error;
    }
  }

  /** Answers how many channels the frame had. */
  #readElements(bits: BitReader): number {
    let channel = 0;
    while (bits.remaining >= 3) {
      const element = bits.read(3);
      if (element === elements.end) return channel;
      if (element === elements.single || element === elements.lowFrequency) {
        this.#readSingle(bits, this.#channelAt(channel));
        channel += 1;
      } else if (element === elements.pair) {
        this.#readPair(bits, this.#channelAt(channel), this.#channelAt(channel + 1));
        channel += 2;
      } else if (element === elements.bytes) skipBytes(bits);
      else if (element === elements.fill) skipFill(bits);
      else if (element === elements.program) skipProgram(bits);
      else throw new DamagedFrame("a coupling channel, which is not read");
    }
    return channel;
  }

  #channelAt(index: number): Channel {
    const channel = this.#channels[index];
    if (channel === undefined) throw new DamagedFrame("more channels than the file has");
    return channel;
  }

  #readSingle(bits: BitReader, channel: Channel): void {
    bits.read(4);
    const stream = readChannelStream(bits, this.#bands, null);
    dequantise(stream, channel.spectrum);
    fillNoise(stream, channel.spectrum, this.#noise);
    this.#synthesise(stream, channel);
  }

  #readPair(bits: BitReader, left: Channel, right: Channel): void {
    bits.read(4);
    const shared = bits.readBit() ? readWindowInfo(bits, this.#bands) : null;
    const mask = shared === null ? null : readMask(bits, shared);
    const leftStream = readChannelStream(bits, this.#bands, shared);
    const rightStream = readChannelStream(bits, this.#bands, shared);
    dequantise(leftStream, left.spectrum);
    dequantise(rightStream, right.spectrum);
    if (mask !== null) separateMidSide(leftStream, rightStream, mask, left.spectrum, right.spectrum);
    fillNoise(leftStream, left.spectrum, this.#noise);
    fillNoise(rightStream, right.spectrum, this.#noise);
    if (mask !== null) shareNoise(leftStream, rightStream, mask, left.spectrum, right.spectrum);
    if (shared !== null) applyIntensity(rightStream, mask, left.spectrum, right.spectrum);
    this.#synthesise(leftStream, left);
    this.#synthesise(rightStream, right);
  }

  #synthesise({ shaping, info }: ChannelStream, { spectrum, filterbank, pcm }: Channel): void {
    if (shaping !== null) applyShaping(shaping, info, this.#bands, spectrum);
    filterbank.run(spectrum, info, pcm);
  }
}

function newChannel(): Channel {
  return {
    spectrum: new Float64Array(frameLines),
    filterbank: new AacFilterbank(),
    pcm: new Float32Array(frameLines),
  };
}

/** Of the three kinds nowhere, by band and everywhere, only the second has a say in intensity stereo. */
function readMask(bits: BitReader, { groups, maxBand }: WindowInfo): MidSideMask {
  const kind = bits.read(2);
  if (kind === 3) throw new DamagedFrame("a mask of no kind");
  if (kind === 0) return null;
  return Uint8Array.from({ length: groups.length * maxBand }, () => (kind === 2 ? midSideEverywhere : bits.read(1)));
}

function skipBytes(bits: BitReader): void {
  bits.read(4);
  const isAligned = bits.readBit();
  let count = bits.read(8);
  if (count === 255) count += bits.read(8);
  if (isAligned) bits.align();
  bits.position += count * 8;
}

/** Here HE-AAC keeps its hints for the upper half of the spectrum. */
function skipFill(bits: BitReader): void {
  let count = bits.read(4);
  if (count === 15) count += bits.read(8) - 1;
  bits.position += count * 8;
}

/** A channel plan (section 4.5.1.2): six lists, three numbers for mixing down, a comment. */
function skipProgram(bits: BitReader): void {
  bits.read(4 + 2 + 4);
  const [front, side, back, lowFrequency, associated, coupling] = [4, 4, 4, 2, 3, 4].map((width) => bits.read(width));
  for (const width of [4, 4, 3]) if (bits.readBit()) bits.read(width);
  bits.position += (front! + side! + back!) * 5 + lowFrequency! * 4 + associated! * 4 + coupling! * 5;
  bits.align();
  bits.position += bits.read(8) * 8;
}
