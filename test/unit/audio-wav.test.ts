import { describe, expect, test } from "bun:test";
import { bytesSource, decodeAudio, probeAudio, wavBytes, wavHeader, wavSamples } from "../../src/lib/audio/audio.ts";
import { decoded } from "../support/audio-files.ts";
import { sound } from "../support/sound.ts";

type Layout = { encoding?: number; bits?: number; channels?: number; sampleRate?: number; before?: Uint8Array };

/** A WAV file around samples that are already written. */
function wav(data: Uint8Array, layout: Layout = {}, claimed = data.length): Uint8Array {
  const { encoding = 1, bits = 16, channels = 1, sampleRate = 16_000, before = new Uint8Array(0) } = layout;
  const head = new DataView(new ArrayBuffer(36));
  const align = channels * Math.ceil(bits / 8);
  const numbers: [number, number][] = [
    [16, 16],
    [24, sampleRate],
    [28, sampleRate * align],
  ];
  for (const [at, value] of numbers) head.setUint32(at, value, true);
  for (const [at, value] of [
    [20, encoding],
    [22, channels],
    [32, align],
    [34, bits],
  ] as const) {
    head.setUint16(at, value, true);
  }
  const bytes = new Uint8Array(head.buffer);
  bytes.set(Buffer.from("RIFF"));
  bytes.set(Buffer.from("WAVEfmt "), 8);
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, claimed, true);
  return new Uint8Array(Buffer.concat([bytes, before, Buffer.from("data"), size, data]));
}

const values = [-1, -0.5, -0.25, 0, 0.25, 0.5, 0.75];

function written(bytesEach: number, write: (view: DataView, at: number, value: number) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * bytesEach));
  for (const [i, value] of values.entries()) write(view, i * bytesEach, value);
  return new Uint8Array(view.buffer);
}

test.each([
  ["8 bits", { bits: 8 }, written(1, (view, at, value) => view.setUint8(at, value * 128 + 128))],
  ["16 bits", { bits: 16 }, written(2, (view, at, value) => view.setInt16(at, value * 32_768, true))],
  [
    "24 bits",
    { bits: 24 },
    written(3, (view, at, value) => {
      view.setUint8(at, 0);
      view.setInt16(at + 1, value * 32_768, true);
    }),
  ],
  ["32 bits", { bits: 32 }, written(4, (view, at, value) => view.setInt32(at, value * 2 ** 31, true))],
  ["float", { encoding: 3, bits: 32 }, written(4, (view, at, value) => view.setFloat32(at, value, true))],
  ["double", { encoding: 3, bits: 64 }, written(8, (view, at, value) => view.setFloat64(at, value, true))],
])("PCM of %s is read exactly", (_, layout, data) => {
  expect([...decoded(wav(data, layout)).channels[0]!]).toEqual(values);
});

describe("G.711", () => {
  // ITU-T G.711 tables 1 and 2: codes of the extremes and of the smallest values.
  test("A-law", () => {
    const data = Uint8Array.of(0xaa, 0x2a, 0xd5, 0x55);
    expect([...decoded(wav(data, { encoding: 6, bits: 8 })).channels[0]!]).toEqual(
      [32_256, -32_256, 8, -8].map((value) => value / 32_768),
    );
  });

  test("mu-law", () => {
    const data = Uint8Array.of(0x80, 0x00, 0xff, 0x7f, 0xfe);
    expect([...decoded(wav(data, { encoding: 7, bits: 8 })).channels[0]!]).toEqual(
      [32_124, -32_124, 0, -0, 8].map((value) => value / 32_768),
    );
  });
});

test("channels are told apart", () => {
  const data = written(2, (view, at, value) => view.setInt16(at, value * 32_768, true)).subarray(0, 12);
  const { channels } = decoded(wav(data, { channels: 2 }));
  expect(channels.map((samples) => [...samples])).toEqual([
    [-1, -0.25, 0.25],
    [-0.5, 0, 0.5],
  ]);
});

test("samples that are no number or too loud come out as silence and as full scale", () => {
  const view = new DataView(new ArrayBuffer(16));
  for (const [i, value] of [Number.NaN, 7, -7, 0.5].entries()) view.setFloat32(i * 4, value, true);
  const { channels } = decoded(wav(new Uint8Array(view.buffer), { encoding: 3, bits: 32 }));
  expect([...channels[0]!]).toEqual([0, 1, -1, 0.5]);
});

test("other chunks before the samples are passed over, odd ones with their filler", () => {
  const before = new Uint8Array(Buffer.concat([Buffer.from("junk\x03\0\0\0abc\0")]));
  expect([...decoded(wav(wavSamples(Float32Array.of(1)), { before })).channels[0]!]).toEqual([32_767 / 32_768]);
});

test.each([0, 0xffff_ffff, 0x7fff_ffff])("a claimed size of %d ends where the file ends", (claimed) => {
  expect(decoded(wav(new Uint8Array(2000), {}, claimed)).channels[0]!.length).toBe(1000);
});

test("long files come in blocks of at most 65,536 samples", () => {
  const lengths = [...decodeAudio(bytesSource(wav(new Uint8Array(300_000))))].map(
    ({ channels }) => channels[0]!.length,
  );
  expect(lengths).toEqual([65_536, 65_536, 18_928]);
});

test.each([
  ["65535 channels", { channels: 65_535 }],
  ["0 Hz", { sampleRate: 0 }],
  ["0 channels", { channels: 0 }],
])("a header with %s is refused", (what, layout) => {
  const read = () => decoded(wav(new Uint8Array(2000), layout));
  expect(read).toThrow(expect.objectContaining({ code: "corrupt", message: expect.stringContaining(what) }));
});

test("a file without samples is empty", () => {
  expect(() => decoded(wav(new Uint8Array(0)))).toThrow(expect.objectContaining({ code: "empty" }));
});

test("what was encoded decodes to the same, with its length told beforehand", () => {
  const samples = sound(22_050, 0.5);
  const bytes = wavBytes(samples, 22_050, { comment: "AI-generated voice", software: "outreachd" });
  expect(probeAudio(bytesSource(bytes))).toEqual({
    format: "wav",
    sampleRate: 22_050,
    channels: 1,
    claimedSeconds: 0.5,
  });
  const read = decoded(bytes).channels[0]!;
  expect(Math.max(...samples.map((value, i) => Math.abs(value - read[i]!)))).toBeLessThan(1.6 / 32_768);
});

test("texts stand in a LIST chunk before the samples", () => {
  const text = Buffer.from(wavBytes(new Float32Array(1), 8_000, { comment: "AI-generated", title: "Hi" })).toString(
    "latin1",
  );
  expect(text).toContain("LIST\x26\0\0\0INFOINAM\x03\0\0\0Hi\0\0ICMT\x0d\0\0\0AI-generated\0\0data");
});

test("a streamed file, whose header doesn't know its length, is read to its end", () => {
  const blocks = [sound(8_000, 0.1), sound(8_000, 0.2)];
  const bytes = Buffer.concat([wavHeader(8_000), ...blocks.map((block) => wavSamples(block))]);
  expect(decoded(new Uint8Array(bytes)).channels[0]!.length).toBe(2400);
});
