import { describe, expect, test } from "bun:test";
import {
  type AudioErrorCode,
  bytesSource,
  decodeAudio,
  probeAudio,
  sniffAudio,
  sniffLength,
} from "../../src/lib/audio/audio.ts";
import { crc8 } from "../../src/lib/audio/flac/crc.ts";
import { audioFile } from "../support/audio-files.ts";
import { pick, seeded } from "../support/random.ts";

const text = (content: string) => new TextEncoder().encode(content);

/** The bytes with the first occurrence of `mark` found, and what stands `at` bytes behind its start replaced; `rename`: another box too. */
function patched(name: string, mark: string, at: number, replacement: number[], rename?: [string, string]): Uint8Array {
  const bytes = audioFile(name);
  if (rename !== undefined) bytes.set(text(rename[1]), Buffer.from(bytes).indexOf(rename[0]));
  const found = Buffer.from(bytes).indexOf(mark);
  if (found < 0) throw new Error(`${name} has no ${mark}.`);
  bytes.set(replacement, found + at);
  return bytes;
}

const allOnes = [0xff, 0xff, 0xff, 0xff];
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...Array.from({ length: 500 }, () => 3)]);

const refused: [what: string, bytes: Uint8Array, code: AudioErrorCode, message: RegExp][] = [
  ["no bytes", new Uint8Array(0), "empty", /The file is empty/],
  ["ten bytes of a WAV", text("RIFF\x10\0\0\0WA"), "unsupported", /not a WAV, MP3, M4A or FLAC/],
  ["text", text("hello this is not audio ".repeat(400)), "unsupported", /not a WAV, MP3, M4A or FLAC/],
  ["a web page", text("<!doctype html><html>".padEnd(9000, "x")), "unsupported", /web page/],
  ["a picture", png, "unsupported", /PNG picture/],
  ["zeros", new Uint8Array(100_000), "unsupported", /not a WAV/],
  ["ones", new Uint8Array(100_000).fill(255), "unsupported", /not a WAV/],
  ["an ID3 tag and nothing else", text("ID3\x04\0\0\x7f\x7f\x7f\x7f".padEnd(5000, "x")), "truncated", /ID3 tag/],
  ["ADPCM", audioFile("adpcm.wav"), "unsupported", /IMA ADPCM .*Save it as PCM/],
  ["Ogg", audioFile("flac.ogg"), "unsupported", /Ogg .*Save the recording as WAV, MP3, M4A or FLAC/],
  ["raw AAC", audioFile("raw.aac"), "unsupported", /raw AAC \(ADTS\)/],
  ["a film without sound", audioFile("video-only.mp4"), "unsupported", /no audio track/],
  ["an M4A whose recording was cut off", audioFile("mono-22050.m4a").slice(0, 2000), "truncated", /no index \(moov\)/],
  [
    "an M4A of another codec",
    patched("mono-22050.m4a", "mp4a", 0, [...text("samr")], ["esds", "free"]),
    "unsupported",
    /codec "samr"/,
  ],
  [
    "an M4A that doesn't describe its AAC",
    patched("mono-22050.m4a", "esds", 0, [...text("free")]),
    "corrupt",
    /describe/,
  ],
  ["an M4A without sample sizes", patched("mono-22050.m4a", "stsz", 0, [0x66, 0x72, 0x65, 0x65]), "corrupt", /table/],
  ["an M4A with a box of impossible length", patched("mono-22050.m4a", "ftyp", -4, [0, 0, 0, 3]), "corrupt", /damaged/],
  ["an M4A whose first box swallows all", patched("mono-22050.m4a", "ftyp", -4, [0, 0, 0, 0]), "corrupt", /moov/],
  ["a FLAC header alone", audioFile("plain-8000.flac").slice(0, 42), "truncated", /FLAC/],
  ["a FLAC cut off in its first frame", audioFile("plain-8000.flac").slice(0, 8400), "corrupt", /FLAC/],
];

test.each(refused)("%s: refused with a reason", (_, bytes, code, message) => {
  const refusal = expect.objectContaining({ name: "AudioError", code, message: expect.stringMatching(message) });
  expect(() => decodeAudio(bytesSource(bytes)).next()).toThrow(refusal);
});

test("a sample table that claims four billion samples ends where the box ends", () => {
  const bytes = patched("mono-22050.m4a", "stsz", 12, allOnes);
  expect(summary(bytes)).toMatch(/^\d+ samples$/);
});

test("samples that overlap without end are refused", () => {
  // One size for all samples: one byte; and four billion of them in the first chunk.
  const bytes = patched("mono-22050.m4a", "stsz", 8, [0, 0, 0, 1, ...allOnes]);
  bytes.set(allOnes, Buffer.from(bytes).indexOf("stsc") + 16);
  expect(summary(bytes)).toBe("corrupt");
});

describe("files made of millions of small pieces are refused before they cost time", () => {
  const repeated = (piece: number[], bytes: number) => Buffer.alloc(bytes, Uint8Array.from(piece));
  const emptyBox = [0, 0, 0, 8, ...text("free")];
  const ftyp = [0, 0, 0, 16, ...text("ftypM4A \0\0\0\0")];
  const moov = [0, 0x80, 0, 8, ...text("moov")];
  // A header with a right CRC-8 for a block of 4,096 samples, and a body whose CRC-16 is wrong.
  const flacHeader = [0xff, 0xf8, 0xc9, 0x18, 0x00];
  const flacFrame = [...flacHeader, crc8(Uint8Array.from(flacHeader), 0, 5), 0, 0, 0, 0, 0, 0, 1, 2];
  const flacHead = audioFile("stereo-44100.flac").slice(0, 42);
  flacHead[4]! |= 0x80;
  test.each([
    ["M4A", Buffer.concat([Buffer.from([...ftyp, ...moov]), repeated(emptyBox, 8_388_608)]), /too many pieces/],
    ["WAV", Buffer.concat([Buffer.from("RIFF....WAVE"), repeated([...text("junk"), 0, 0, 0, 0], 8_000_000)]), /pieces/],
    ["ID3 tags", repeated([...text("ID3\x04\0\0\0\0\0\0")], 8_000_000), /not a WAV/],
    ["FLAC", Buffer.concat([flacHead, repeated(flacFrame, 20_000_000)]), /too many places/],
  ])("%s", (_, bytes, message) => {
    expect(() => decodeAudio(bytesSource(new Uint8Array(bytes))).next()).toThrow(message);
  });
});

test("an edit list that begins after the end is passed over", () => {
  const bytes = patched("mono-22050.m4a", "elst", 16, [0x7f, 0xff, 0xff, 0xff]);
  expect(summary(bytes)).toMatch(/^[67]\d{3} samples$/);
});

test("an MP3 with 30 MB of tags before its sound is decoded", () => {
  const tag = new Uint8Array(15_000_000);
  const content = tag.length - 10;
  tag.set([...text("ID3\x04\0\0"), content >> 21, (content >> 14) & 127, (content >> 7) & 127, content & 127]);
  const bytes = new Uint8Array(Buffer.concat([tag, tag, audioFile("joint-44100.mp3")]));
  expect(sniffAudio(bytes.subarray(0, sniffLength), bytes.length)).toBe("mp3");
  expect(summary(bytes)).toBe("13230 samples");
});

test("a file that is cut off gives what is there", () => {
  for (const name of ["stereo-44100.flac", "joint-44100.mp3", "fragments-16000.m4a"]) {
    const bytes = audioFile(name);
    expect(summary(bytes.slice(0, bytes.length * 0.75))).toMatch(/^\d{4,} samples$/);
  }
});

describe("the format is told by content", () => {
  test.each([
    ["adpcm.wav", "wav"],
    ["joint-44100.mp3", "mp3"],
    ["low-8000.mp3", "mp3"],
    ["stereo-44100.flac", "flac"],
    ["alac-44100.m4a", "m4a"],
    ["video-only.mp4", "m4a"],
    ["flac.ogg", null],
    ["raw.aac", null],
  ] as const)("%s", (name, format) => {
    const bytes = audioFile(name);
    expect(sniffAudio(bytes.subarray(0, sniffLength), bytes.length)).toBe(format);
  });

  test("one MP3 header in the middle of something else is no MP3", () => {
    const bytes = new Uint8Array(5000).fill(7);
    bytes.set([0xff, 0xfb, 0x90, 0x00], 100);
    expect(sniffAudio(bytes, bytes.length)).toBeNull();
  });
});

/** Enough to hear whether a decoder goes wrong; hostile headers can promise much more. */
const maxSamples = 2_000_000;

/** How many samples came out, or the code of the refusal. Fails for any other error and for samples out of range. */
function summary(bytes: Uint8Array): string {
  const source = bytesSource(bytes);
  let count = 0;
  let shape = "";
  try {
    probeAudio(source);
    for (const { channels, sampleRate } of decodeAudio(source)) {
      shape ||= `${channels.length} ${sampleRate}`;
      if (`${channels.length} ${sampleRate}` !== shape) throw new Error("The shape of the sound changed.");
      for (const samples of channels) {
        if (!samples.every((sample) => sample >= -1 && sample <= 1)) throw new Error("A sample is out of range.");
      }
      count += channels[0]!.length;
      if (count > maxSamples) break;
    }
  } catch (error) {
    if (error instanceof Error && error.name === "AudioError") return String(Reflect.get(error, "code"));
    throw error;
  }
  return `${count} samples`;
}

/** Mutations of each file; `AUDIO_FUZZ_ROUNDS` asks for more. */
const rounds = Number(process.env["AUDIO_FUZZ_ROUNDS"] ?? 120);

/** A few changes of the kinds that happen to files and that attackers try. */
function damaged(original: Uint8Array, random: () => number): Uint8Array {
  let bytes = original.slice();
  const place = () => Math.floor(random() * bytes.length);
  const changes = [
    () => (bytes = bytes.slice(0, place())),
    () => bytes.fill(pick([0, 255], random), place(), place()),
    () => bytes.set([0xff, 0xff, 0xff, 0xff].slice(0, bytes.length), Math.max(0, place() - 4)),
    () => (bytes = new Uint8Array(Buffer.concat([bytes.subarray(0, place()), bytes.subarray(place())]))),
    () => {
      for (let flips = 1 + random() * 40; flips > 0; flips--) bytes[place()]! ^= 1 << Math.floor(random() * 8);
    },
    () => {
      // Headers lie at the front or, in M4A, at the back.
      const start = pick([0, Math.max(0, bytes.length - 800)], random);
      for (let count = 1 + random() * 8; count > 0; count--) bytes[start + Math.floor(random() * 300)] = random() * 256;
    },
  ];
  for (let count = 1 + random() * 2; count > 0; count--) pick(changes, random)();
  return bytes;
}

describe("damaged files are decoded as far as possible or refused, soon", () => {
  test.each([
    "stereo-44100.flac",
    "plain-8000.flac",
    "deep-24000.flac",
    "joint-44100.mp3",
    "variable-22050.mp3",
    "low-8000.mp3",
    "stereo-48000.m4a",
    "low-8000.m4a",
    "fragments-16000.m4a",
    "alac-44100.m4a",
    "alac-deep-24000.m4a",
    "video.mp4",
    "adpcm.wav",
  ])(
    "%s",
    (name) => {
      const original = audioFile(name);
      for (let seed = 1; seed <= rounds; seed++) {
        const bytes = damaged(original, seeded(seed));
        expect({ seed, summary: summary(bytes) }).toEqual({ seed, summary: expect.any(String) });
      }
    },
    60_000,
  );
});
