import { describe, expect, test } from "bun:test";
import { bandsOf } from "../../src/lib/audio/mp3/bands.ts";
import { type Mp3FrameHeader, parseFrameHeader } from "../../src/lib/audio/mp3/frame-header.ts";
import { emptyScaleFactors } from "../../src/lib/audio/mp3/scale-factors.ts";
import type { Granule } from "../../src/lib/audio/mp3/side-info.ts";
import { separateStereo } from "../../src/lib/audio/mp3/stereo.ts";

const granule: Granule = {
  mainDataBits: 0,
  bigValues: 0,
  globalGain: 210,
  scaleFactorCompress: 0,
  blockType: 0,
  isMixed: false,
  tableSelect: [0, 0, 0],
  regions: null,
  subblockGain: [0, 0, 0],
  hasPreemphasis: false,
  scaleFactorScale: false,
  usesQuadCodeB: false,
};

/** MPEG 1 at 44.1 kHz or MPEG 2 at 22.05 kHz, with the joint codings that `mode` names. */
function header(version: 1 | 2, mode: number): Mp3FrameHeader {
  return parseFrameHeader(Uint8Array.of(0xff, version === 1 ? 0xfb : 0xf3, 0x90, 0x40 | mode), 0)!;
}

/** Left is 1 everywhere, right only below `rightEnd`; all bands of the right channel have the same scale factor. */
function separated(frame: Mp3FrameHeader, position: number, changes: Partial<Granule> = {}, rightEnd = 0, right = 1) {
  const spectra = [new Float64Array(576).fill(1), new Float64Array(576).fill(right, 0, rightEnd)] as const;
  const factors = emptyScaleFactors();
  factors.values.fill(position);
  factors.limits.fill(15);
  separateStereo(frame, ...spectra, { ...granule, ...changes }, factors, bandsOf(frame.sampleRate));
  return (line: number) => spectra.map((spectrum) => Math.round(spectrum[line]! * 1e6) / 1e6);
}

const halfPower = Math.round(Math.SQRT1_2 * 1e6) / 1e6;
const intensity = 0x10;
const both = 0x30;

describe("MPEG 1 intensity stereo", () => {
  test.each([
    [0, [0, 1]],
    [3, [0.5, 0.5]],
    [6, [1, 0]],
    [2, [0.366025, 0.633975]],
  ])("position %d gives left and right %j of the sound", (position, expected) => {
    const at = separated(header(1, intensity), position);
    expect(at(0)).toEqual(expected);
    expect(at(575)).toEqual(expected);
  });

  test("bands up to the last one in which the right channel has something are left alone", () => {
    // Line 100 lies in the band of lines 90 to 109 at 44.1 kHz.
    const at = separated(header(1, intensity), 6, {}, 101);
    expect([at(100), at(109), at(110)]).toEqual([
      [1, 1],
      [1, 0],
      [1, 0],
    ]);
    expect(separated(header(1, intensity), 0, {}, 101)(110)).toEqual([0, 1]);
    expect(separated(header(1, intensity), 0, {}, 101)(109)).toEqual([1, 0]);
  });

  test("position 7 means middle and side where that is on, and nothing where it isn't", () => {
    expect(separated(header(1, both), 7)(300)).toEqual([halfPower, halfPower]);
    expect(separated(header(1, intensity), 7)(300)).toEqual([1, 0]);
  });

  test("short blocks are looked at window by window", () => {
    const at = separated(header(1, intensity), 0, { blockType: 2 });
    expect([at(0), at(1), at(2), at(575)]).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });
});

describe("MPEG 2 intensity stereo", () => {
  test.each([
    [0, 0, [1, 1]],
    [1, 0, [0.840896, 1]],
    [2, 0, [1, 0.840896]],
    [3, 1, [0.5, 1]],
    [4, 1, [1, 0.5]],
  ])("position %d with scale %d gives %j", (position, scaleFactorCompress, expected) => {
    expect(separated(header(2, intensity), position, { scaleFactorCompress })(200)).toEqual(expected);
  });

  test("the largest position means no intensity", () => {
    expect(separated(header(2, intensity), 15)(200)).toEqual([1, 0]);
  });
});

test("middle and side become left and right", () => {
  expect(separated(header(1, 0x20), 0, {}, 576, 0.5)(5)).toEqual([1.06066, 0.353553]);
});
