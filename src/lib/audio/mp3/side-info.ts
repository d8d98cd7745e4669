import type { BitReader } from "../bit-reader.ts";
import type { Mp3FrameHeader } from "./frame-header.ts";

/** How the spectrum of one channel in one granule is coded (ISO/IEC 11172-3 section 2.4.1.7). */
export type Granule = {
  /** Bits of scale factors and spectrum. */
  mainDataBits: number;
  /** Pairs of lines that are coded with the pair tables. */
  bigValues: number;
  globalGain: number;
  scaleFactorCompress: number;
  blockType: BlockType;
  /** The two lowest subbands are coded as a long block, though the others are short ones. */
  isMixed: boolean;
  tableSelect: [number, number, number];
  /** Scale factor bands of the first two regions of big values; null: by the standard's rule for other windows. */
  regions: [number, number] | null;
  subblockGain: [number, number, number];
  hasPreemphasis: boolean;
  scaleFactorScale: boolean;
  usesQuadCodeB: boolean;
};

/** Windows: the long one, the one before short ones, three short ones, the one after short ones. */
export type BlockType = 0 | 1 | 2 | 3;
export const shortBlocks = 2;

export type SideInfo = {
  /** How many bytes before this frame's own its data begins. */
  mainDataBegin: number;
  /** By channel: for four groups of bands, whether the second granule shares the first one's scale factors. */
  shared: boolean[][];
  /** By granule, then channel. */
  granules: Granule[][];
};

/** Bytes that the side information takes. */
export function sideInfoLength({ version, channels }: Mp3FrameHeader): number {
  if (version === 1) return channels === 1 ? 17 : 32;
  return channels === 1 ? 9 : 17;
}

/** null: it names what the standard doesn't have, so the frame is damaged. */
export function readSideInfo(bits: BitReader, header: Mp3FrameHeader): SideInfo | null {
  const isVersion1 = header.version === 1;
  const mainDataBegin = bits.read(isVersion1 ? 9 : 8);
  // Private bits fill the rest of the byte.
  bits.read(isVersion1 ? (header.channels === 1 ? 5 : 3) : header.channels);
  const channels = Array.from({ length: header.channels });
  const shared = channels.map(() => Array.from({ length: 4 }, () => isVersion1 && bits.readBit()));
  const granules: Granule[][] = [];
  for (let i = 0; i < header.samples / 576; i++) granules.push(channels.map(() => readGranule(bits, isVersion1)));
  return granules.flat().every(isPossible) ? { mainDataBegin, shared, granules } : null;
}

function readGranule(bits: BitReader, isVersion1: boolean): Granule {
  const mainDataBits = bits.read(12);
  const bigValues = bits.read(9);
  const globalGain = bits.read(8);
  const scaleFactorCompress = bits.read(isVersion1 ? 4 : 9);
  const switchesWindow = bits.readBit();
  const blockType = (switchesWindow ? bits.read(2) : 0) as BlockType;
  const isMixed = switchesWindow && bits.readBit() && blockType === shortBlocks;
  const tableSelect: Granule["tableSelect"] = [bits.read(5), bits.read(5), switchesWindow ? 0 : bits.read(5)];
  const subblockGain: Granule["subblockGain"] = switchesWindow ? [bits.read(3), bits.read(3), bits.read(3)] : [0, 0, 0];
  return {
    mainDataBits,
    bigValues,
    globalGain,
    scaleFactorCompress,
    blockType,
    isMixed,
    tableSelect,
    subblockGain,
    regions: switchesWindow ? null : [bits.read(4) + 1, bits.read(3) + 1],
    hasPreemphasis: isVersion1 ? bits.readBit() : scaleFactorCompress >= 500,
    scaleFactorScale: bits.readBit(),
    usesQuadCodeB: bits.readBit(),
  };
}

function isPossible({ bigValues, tableSelect }: Granule): boolean {
  return bigValues <= 288 && tableSelect.every((table) => table !== 4 && table !== 14);
}
