import { describe, expect, test } from "bun:test";
import { canonicalProfileUrl, pageSubjectOf } from "../../src/platform/identity/profile-url.ts";

test.each([
  ["https://network.example/company/acme", "a company"],
  ["https://network.example/school/oxford/people", "a school"],
  ["https://network.example/pulse/how-to", "an article"],
  ["https://network.example/in/ada", null],
  ["https://network.example/in/company", null],
  ["https://network.example/company", null],
  ["https://network.example/pub/ada/1/2/3", null],
  ["https://network.example/constructor/x", null],
])("%s is the page of %p", (url, subject) => expect(pageSubjectOf(url)).toBe(subject));

describe("the canonical profile URL", () => {
  test.each([
    "https://network.example/in/ada-l",
    "http://network.example/in/ada-l",
    "HTTPS://WWW.Network.Example/in/Ada-L/",
    "https://uk.network.example/in/ada-l/",
    "https://m.network.example/in/ada-l",
    "https://network.example/in/ada-l/en",
    "https://network.example/in/ada-l/pt-br/",
    "https://network.example:443/in/ada-l?trk=1#top",
    "https://network.example./in//ada-l",
    "network.example/in/ada-l",
    "  www.network.example/in/ada-l  ",
  ])("of %p is the same", (text) => {
    expect(canonicalProfileUrl(text)).toBe("https://network.example/in/ada-l");
  });

  test("resolves escapes and composes accents", () => {
    const name = "https://network.example/in/jos\u00e9";
    expect(canonicalProfileUrl("https://network.example/in/Jos%C3%A9")).toBe(name);
    expect(canonicalProfileUrl("https://network.example/in/Jose%CC%81")).toBe(name);
  });

  test("keeps escapes that would make it the URL of another page", () => {
    const name = "https://network.example/in/zo\u00eb%20ang%3f";
    expect(canonicalProfileUrl("https://network.example/in/Zo%C3%8B%20Ang%3F")).toBe(name);
    expect(canonicalProfileUrl(name)).toBe(name);
    expect(canonicalProfileUrl("https://network.example/in/100%2525")).toBe("https://network.example/in/100%2525");
  });

  test("keeps a path whose escapes are broken", () => {
    expect(canonicalProfileUrl("https://network.example/in/50%ada")).toBe("https://network.example/in/50%ada");
  });

  test("of different people is different", () => {
    const urls = [
      "network.example/in/ada",
      "network.example/in/ada-2",
      "other.example/in/ada",
      "network.example/company/ada",
      "network.example/in/de",
    ];
    expect(new Set(urls.map(canonicalProfileUrl)).size).toBe(urls.length);
  });

  test("does not take a name of two letters for a country", () => {
    expect(canonicalProfileUrl("https://ab.example/in/ada")).toBe("https://ab.example/in/ada");
    expect(canonicalProfileUrl("https://bp.co.uk/in/ada")).not.toBe(canonicalProfileUrl("https://bt.co.uk/in/ada"));
  });

  test.each([
    "",
    "ada",
    "https://network.example",
    "https://network.example/",
    "https://localhost/in/ada",
    "javascript:alert(1)",
    "ftp://network.example/in/ada",
    "mailto:a@b.com",
    "https://network.example/in/ada l",
    "https://",
  ])("of %p is null", (text) => {
    expect(canonicalProfileUrl(text)).toBeNull();
  });
});
