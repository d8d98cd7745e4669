import { describe, expect, test } from "bun:test";
import { speakableText } from "../../src/lib/voice-engine/speakable-text.ts";
import { VoiceError } from "../../src/lib/voice-engine/voice-error.ts";

test.each([
  ["Hello there. How are you?", ["Hello there.", "How are you?"]],
  ["Dr. Smith met J. P. Jones. They left.", ["Dr. Smith met J. P. Jones.", "They left."]],
  ["Crème brûlée für Łukasz — “naïve”…", ['Creme brulee fur Lukasz , "naive".']],
  ["Straße", ["Strasse"]],
  [
    "It costs €1,500 or $2.5m, i.e. 20% off.",
    ["It costs 1,500 euros or 2.5 million dollars , that is 20 percent off."],
  ],
  ["R&D, e.g. #3", ["R and D, for example number 3"]],
  ["Mail ann@firm.co.uk or see https://www.firm.com/a", ["Mail ann at firm dot co dot uk or see firm dot com slash a"]],
  ["First line\nsecond line!\n\nthird", ["First line.", "second line!", "third"]],
  ["Great!!! 🎉🎉 Yes", ["Great!", "Yes"]],
  ["ＦＵＬＬ width", ["FULL width"]],
  ["-voice rms -o /etc/passwd", ["-voice rms -o etc passwd"]],
])("%j is spoken as %j", (text, pieces) => {
  expect(speakableText(text)).toEqual(pieces);
});

test("long sentences are cut at pauses, endless words anywhere, and nothing is lost", () => {
  const long = "one two three four five six seven, ".repeat(20);
  const pieces = speakableText(long);
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.every((piece) => piece.length <= 180)).toBe(true);
  expect(pieces.slice(0, -1).every((piece) => piece.endsWith(","))).toBe(true);
  expect(pieces.join(" ").match(/seven/g)).toHaveLength(20);
  const letters = speakableText("a".repeat(5000));
  expect(letters.every((piece) => piece.length <= 180)).toBe(true);
  expect(letters.join("").match(/a/g)).toHaveLength(5000);
});

test("a long first sentence is begun at its pause, so that it is heard soon", () => {
  const start = "I saw your post about warehouse robotics, ";
  const rest = "and would love to hear how your team plans the next rollouts in the north.";
  expect(speakableText(start + rest)).toEqual([start.trim(), rest]);
  expect(speakableText(`Hello. ${start}${rest}`)).toEqual(["Hello.", start + rest]);
  expect(speakableText("Hi, this sentence is as long as the others are but has its only pause too early to help it start."))
    .toHaveLength(1); // prettier-ignore
});

describe("nothing to speak", () => {
  test.each([[""], ["   "], ["🎉🎉🎉"], ["こんにちは世界"], ["Привет"], ["!?…"], ["42"], ["a"], ["\u0000\u0007"]])(
    "%j",
    (text) => {
      expect(() => speakableText(text)).toThrow(VoiceError);
    },
  );
});
