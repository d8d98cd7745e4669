import { describe, expect, test } from "bun:test";
import { bytesSource, decodeAudio, probeAudio } from "../../src/lib/audio/audio.ts";
import { readAacConfig } from "../../src/lib/audio/aac/config.ts";
import { wavSamples } from "../../src/lib/audio/wav/encode-wav.ts";
import { audioFile, decoded } from "../support/audio-files.ts";
import { signalToNoise, sound } from "../support/sound.ts";

const seconds = 0.3;

describe("lossless formats give back every bit", () => {
  test.each([
    ["stereo-44100.flac", 44_100, 2],
    ["plain-8000.flac", 8_000, 1],
    ["alac-44100.m4a", 44_100, 2],
  ])("%s", (name, sampleRate, channelCount) => {
    const { channels, ...rest } = decoded(audioFile(name));
    expect(rest.sampleRate).toBe(sampleRate);
    expect(channels.length).toBe(channelCount);
    for (const [channel, samples] of channels.entries()) {
      const original = wavSamples(sound(sampleRate, seconds, channel));
      const expected = new Int16Array(original.buffer).map(Number);
      expect(samples.map((value) => value * 32_768)).toEqual(Float32Array.from(expected));
    }
  });

  test("24 bits are the same in FLAC and in Apple Lossless, and finer than 16", () => {
    const flac = decoded(audioFile("deep-24000.flac")).channels[0]!;
    expect(decoded(audioFile("alac-deep-24000.m4a")).channels[0]).toEqual(flac);
    expect(flac.length).toBe(24_000 * seconds);
    expect(flac.some((value) => !Number.isInteger(value * 32_768))).toBeTrue();
    const original = wavSamples(sound(24_000, seconds));
    const expected = Float32Array.from(new Int16Array(original.buffer), (value) => (value / 32_768) * 0.377);
    expect(signalToNoise(expected, flac)).toBeGreaterThan(120);
  });
});

describe("lossy formats decode like another decoder, up to the 16 bits in which its samples are kept", () => {
  test.each([
    "joint-44100.mp3",
    "variable-22050.mp3",
    "low-8000.mp3",
    "stereo-48000.m4a",
    "mono-22050.m4a",
    "low-8000.m4a",
    "fragments-16000.m4a",
  ])("%s", (name) => {
    const ours = decoded(audioFile(name));
    const theirs = decoded(audioFile(`${name}.ref.flac`));
    expect(ours.sampleRate).toBe(theirs.sampleRate);
    expect(ours.channels.length).toBe(theirs.channels.length);
    for (const [i, samples] of ours.channels.entries()) {
      expect(signalToNoise(theirs.channels[i]!, samples)).toBeGreaterThan(78);
    }
  });

  test.each([
    ["joint-44100.mp3", 44_100],
    ["variable-22050.mp3", 22_050],
    ["stereo-48000.m4a", 48_000],
    ["mono-22050.m4a", 22_050],
    ["low-8000.m4a", 8_000],
  ])("%s has the length of what was encoded, and starts where that did", (name, sampleRate) => {
    const samples = decoded(audioFile(name)).channels[0]!;
    expect(samples.length).toBe(sampleRate * seconds);
    expect(signalToNoise(sound(sampleRate, seconds), samples)).toBeGreaterThan(10);
  });
});

test("of a film only the sound is decoded", () => {
  const sound = decoded(audioFile("mono-22050.m4a")).channels[0]!;
  const fromFilm = decoded(audioFile("video.mp4")).channels[0]!;
  expect(fromFilm.length).toBeGreaterThan(4000);
  expect(fromFilm.slice(0, 4000)).toEqual(sound.slice(0, 4000));
});

test("decoding twice gives the same", () => {
  const bytes = audioFile("stereo-48000.m4a");
  expect(decoded(bytes)).toEqual(decoded(bytes));
});

test("a consumer may stop after the first block", () => {
  const blocks = decodeAudio(bytesSource(audioFile("stereo-44100.flac")));
  expect(blocks.next().done).toBeFalse();
  expect(blocks.return(undefined).done).toBeTrue();
});

test("ID3 tags before the sound are passed over, however large", () => {
  const tag = new Uint8Array(10 + 300_000);
  tag.set(Buffer.from("ID3\x04\0\0"));
  tag.set([0, 300_000 >> 14, (300_000 >> 7) & 127, 300_000 & 127], 6);
  for (const name of ["plain-8000.flac", "joint-44100.mp3", "mono-22050.m4a"]) {
    const tagged = new Uint8Array(Buffer.concat([tag, tag, audioFile(name)]));
    expect(decoded(tagged)).toEqual(decoded(audioFile(name)));
  }
});

describe("claims of the header", () => {
  test.each([
    ["stereo-44100.flac", { format: "flac", sampleRate: 44_100, channels: 2, claimedSeconds: 0.3 }],
    ["joint-44100.mp3", { format: "mp3", sampleRate: 44_100, channels: 2, claimedSeconds: 0.3 }],
    ["low-8000.mp3", { format: "mp3", sampleRate: 8_000, channels: 1, claimedSeconds: expect.closeTo(0.5, 1) }],
    ["mono-22050.m4a", { format: "m4a", sampleRate: 22_050, channels: 1, claimedSeconds: expect.closeTo(0.3, 2) }],
    ["alac-44100.m4a", { format: "m4a", sampleRate: 44_100, channels: 2, claimedSeconds: expect.closeTo(0.3, 2) }],
    ["fragments-16000.m4a", { format: "m4a", sampleRate: 16_000, channels: 1, claimedSeconds: null }],
  ] as const)("%s", (name, claims) => {
    expect(probeAudio(bytesSource(audioFile(name)))).toEqual(claims);
  });
});

describe("AAC descriptions", () => {
  test("HE-AAC is read as the AAC-LC inside, at half the rate", () => {
    // Object type 5, 22,050 Hz, stereo, extended to 44,100 Hz, then object type 2.
    expect(readAacConfig(Uint8Array.of(0x2b, 0x92, 0x08, 0x00))).toEqual({
      sampleRate: 22_050,
      rateIndex: 7,
      channels: 2,
    });
  });

  test("a file that says it is HE-AAC gives what the AAC-LC inside gives", () => {
    const bytes = audioFile("mono-22050.m4a");
    // As ffmpeg describes AAC-LC at 22,050 Hz: object type 2, and that there is no replication.
    const plain = Uint8Array.of(0x13, 0x88, 0x56, 0xe5, 0x00);
    const at = Buffer.from(bytes).indexOf(plain);
    expect(at).toBeGreaterThan(0);
    bytes.set([0x2b, 0x8a, 0x08, 0x00, 0x00], at);
    expect(decoded(bytes)).toEqual(decoded(audioFile("mono-22050.m4a")));
  });

  test("other kinds of AAC are refused by name", () => {
    // Object type 39 (written as 31 and 7), 48,000 Hz, mono.
    expect(() => readAacConfig(Uint8Array.of(0xf8, 0xe6, 0x20, 0x00))).toThrow(/ELD/);
  });
});
