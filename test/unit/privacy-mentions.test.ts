import { expect, test } from "bun:test";
import { mentionsOf } from "../../src/features/privacy/mentions.ts";

const ada = mentionsOf({ emails: ["ada@example.com"], profiles: ["https://network.example/in/ada-l"] });

test.each([
  ["write to ada@example.com.", "write to [erased]."],
  ["Ada <ADA@Example.com>, Bob <bob@example.com>", "Ada <[erased]>, Bob <bob@example.com>"],
  ["see http://www.Network.example/in/Ada-L/?trk=1, please", "see [erased], please"],
  ["network.example/in/ada-l", "[erased]"],
  ["ada@example.com.WAV", "[erased].WAV"],
  ["https://uk.network.example/in/ada-l/en/", "[erased]"],
  ['{"to":"ada@example.com","n":[1,"x\\nada@example.com"]}', '{"to":"[erased]","n":[1,"x\\n[erased]"]}'],
])("an address in a text is blotted out: %s", (text, after) => {
  expect(ada.redacted(text)).toBe(after);
});

test.each([
  "joada@example.com",
  "ada@example.com.au",
  "ada@example.com.wav.au",
  "ada@example.org",
  "https://network.example/in/ada-lovelace",
  "https://network.example/company/ada-l/about",
  "https://other.example/in/ada-l",
  '{ "spaced": "but without anybody" }',
  "",
])("who only looks alike is left alone: %s", (text) => {
  expect(ada.redacted(text)).toBeNull();
});

test("every text that mentions the person has one of the needles", () => {
  const { needles } = mentionsOf({
    emails: ["ada@bücher.example"],
    profiles: ["https://network.example/in/émile-z", "https://network.example/in/al"],
  });
  const texts = [
    "ada@bücher.example",
    "ada@xn--bcher-kva.example",
    "https://network.example/in/%c3%a9mile-z",
    "network.example/in/émile-z",
    "https://network.example/in/al?x=1",
  ];
  for (const text of texts)
    expect(
      needles.some((needle) => text.includes(needle)),
      text,
    ).toBe(true);
});

test("nobody is found by nothing", () => {
  const { needles, redacted } = mentionsOf({ emails: [], profiles: [] });
  expect({ needles, redacted: redacted("ada@example.com") }).toEqual({ needles: [], redacted: null });
});
