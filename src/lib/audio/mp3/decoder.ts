import { bitPadding, BitReader } from "../bit-reader.ts";
import { type Bands, bandsOf } from "./bands.ts";
import type { Mp3FrameHeader } from "./frame-header.ts";
import type { Mp3Frame } from "./frames.ts";
import { HybridFilterbank } from "./hybrid.ts";
import { emptyScaleFactors, readScaleFactors1, readScaleFactors2, type ScaleFactors } from "./scale-factors.ts";
import { type Granule, readSideInfo, type SideInfo, sideInfoLength } from "./side-info.ts";
import { granuleLines, readLines, requantise } from "./spectrum.ts";
import { separateStereo } from "./stereo.ts";
import { SynthesisFilterbank } from "./synthesis.ts";

/** Bytes of earlier frames that a frame's data may begin in: nine bits of side information count them. */
const maxReservoir = 511;
/** The longest frame: 320 kbit/s at 32 kHz, with padding. */
const maxFrameLength = 1441;

/** The state of one channel. */
type Channel = {
  scaleFactors: ScaleFactors;
  quantised: Int16Array;
  spectrum: Float64Array;
  lineCount: number;
  hybrid: HybridFilterbank;
  synthesis: SynthesisFilterbank;
  pcm: Float32Array;
};

/** Decodes frames of one stream, in order. What can't be decoded becomes silence of the same length. */
export class Mp3Decoder {
  /** Whether any frame could be decoded. */
  hasDecoded = false;
  readonly #bands: Bands;
  readonly #channels: Channel[];
  readonly #output: Float32Array[];
  readonly #subbandSamples = new Float64Array(granuleLines);
  readonly #reservoir = new Uint8Array(maxReservoir + maxFrameLength + bitPadding);
  #reservoirLength = 0;

  /** `header` is one of the stream's; frames may have the other number of channels, but give as many as it says. */
  constructor(header: Mp3FrameHeader) {
    this.#bands = bandsOf(header.sampleRate);
    this.#channels = [newChannel(), newChannel()];
    this.#output = this.#channels.slice(0, header.channels).map(({ pcm }) => pcm);
  }

  /** The samples of each channel, as many as the header says; used again by the next call. */
  decode({ header, bytes, follows }: Mp3Frame): Float32Array[] {
    if (!follows) this.#reservoirLength = 0;
    const dataStart = 4 + (header.hasCrc ? 2 : 0) + sideInfoLength(header);
    const bits = new BitReader(bytes, bytes.length, 4 + (header.hasCrc ? 2 : 0));
    const sideInfo = dataStart <= bytes.length ? readSideInfo(bits, header) : null;
    const mainData = this.#fill(bytes.subarray(dataStart), sideInfo?.mainDataBegin ?? 0);
    const active = this.#channels.slice(0, header.channels);
    for (let granule = 0; granule < header.samples / granuleLines; granule++) {
      if (sideInfo !== null && mainData !== null) this.#readGranule(mainData, header, sideInfo, granule);
      else for (const channel of active) channel.lineCount = 0;
      this.#synthesise(active, sideInfo?.granules[granule] ?? null, granule * granuleLines);
    }
    if (header.channels === 1) this.#channels[1]!.pcm.set(this.#channels[0]!.pcm);
    else if (this.#output.length === 1) mixDown(this.#channels[0]!.pcm, this.#channels[1]!.pcm);
    return this.#output;
  }

  /**
   * Puts a frame's data behind that of earlier ones, and answers all of it from where this frame's begins. null: some
   * of it was in frames that are missing.
   */
  #fill(data: Uint8Array, begin: number): BitReader | null {
    const kept = Math.min(this.#reservoirLength, maxReservoir);
    this.#reservoir.copyWithin(0, this.#reservoirLength - kept, this.#reservoirLength);
    this.#reservoir.set(data, kept);
    this.#reservoirLength = kept + data.length;
    this.#reservoir.fill(0, this.#reservoirLength, this.#reservoirLength + bitPadding);
    return begin > kept ? null : new BitReader(this.#reservoir, this.#reservoirLength, kept - begin);
  }

  #readGranule(bits: BitReader, header: Mp3FrameHeader, { granules, shared }: SideInfo, index: number): void {
    const granule = granules[index]!;
    const isVersion1 = header.version === 1;
    for (const [i, channelGranule] of granule.entries()) {
      const channel = this.#channels[i]!;
      const end = bits.position + channelGranule.mainDataBits;
      if (isVersion1) {
        const sharing = index === 0 ? [] : shared[i]!;
        readScaleFactors1(bits, channelGranule, sharing, channel.scaleFactors);
      } else readScaleFactors2(bits, header, channelGranule, i, channel.scaleFactors);
      const count = readLines(bits, channelGranule, this.#bands, end, channel.quantised);
      requantise(
        channel.quantised,
        count,
        channelGranule,
        channel.scaleFactors,
        this.#bands,
        isVersion1,
        channel.spectrum,
      );
      // Short blocks are mixed line by line, each line two places from its neighbours.
      channel.lineCount = channelGranule.blockType === 2 ? granuleLines : count;
      bits.position = end;
    }
    const [left, right] = this.#channels as [Channel, Channel];
    if (header.midSide || header.intensity) {
      separateStereo(header, left.spectrum, right.spectrum, granule[1]!, right.scaleFactors, this.#bands);
      left.lineCount = right.lineCount = Math.max(left.lineCount, right.lineCount);
    }
    this.hasDecoded = true;
  }

  #synthesise(channels: Channel[], granule: Granule[] | null, at: number): void {
    for (const [i, channel] of channels.entries()) {
      const channelGranule = granule?.[i] ?? silentGranule;
      if (channel.lineCount === 0) channel.spectrum.fill(0);
      channel.hybrid.run(channel.spectrum, channel.lineCount, channelGranule, this.#subbandSamples);
      channel.synthesis.run(this.#subbandSamples, channel.pcm, at);
    }
  }
}

const silentGranule: Pick<Granule, "blockType" | "isMixed"> = { blockType: 0, isMixed: false };

function newChannel(): Channel {
  return {
    scaleFactors: emptyScaleFactors(),
    quantised: new Int16Array(granuleLines),
    spectrum: new Float64Array(granuleLines),
    lineCount: 0,
    hybrid: new HybridFilterbank(),
    synthesis: new SynthesisFilterbank(),
    pcm: new Float32Array(2 * granuleLines),
  };
}

/** The average of both into the first. */
function mixDown(left: Float32Array, right: Float32Array): void {
  for (let i = 0; i < left.length; i++) left[i] = (left[i]! + right[i]!) / 2;
}
