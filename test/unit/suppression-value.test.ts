import { expect, test } from "bun:test";
import { hashText, readHashText, suppressionKey } from "../../src/features/suppression/key.ts";
import { readValue } from "../../src/features/suppression/value.ts";

test.each([
  ["ada@example.com", "email", "ada@example.com"],
  ["  ADA@Example.Com\n", "email", "ada@example.com"],
  ["a/b@example.com", "email", "a/b@example.com"],
  ["ada@bücher.example", "email", "ada@xn--bcher-kva.example"],
  ["@example.com", "domain", "example.com"],
  ["Example.COM", "domain", "example.com"],
  ["*.example.com", "domain", "example.com"],
  ["@mail.example.co.uk", "domain", "mail.example.co.uk"],
  ["bücher.example", "domain", "xn--bcher-kva.example"],
  ["пример.рф", "domain", "xn--e1afmkfd.xn--p1ai"],
  ["xn--e1afmkfd.xn--p1ai", "domain", "xn--e1afmkfd.xn--p1ai"],
  ["360.example", "domain", "360.example"],
  ["https://www.Network.example/in/Ada/?trk=1", "profile", "https://network.example/in/ada"],
  ["network.example/in/ada", "profile", "https://network.example/in/ada"],
  ["https://medium.example/@ada", "profile", "https://medium.example/@ada"],
  ["+44 (0)20 7946 0018", "phone", "+442079460018"],
  ["tel:+1-202-555-0143", "phone", "+12025550143"],
  ["+1 202 555 0143 ext. 12", "phone", "+12025550143"],
])("%j is the %s %s", (text, kind, value) => {
  expect(readValue(text, null)).toMatchObject({ kind, value, warning: null });
});

test.each([
  ["", "is empty"],
  [" \t ", "is empty"],
  ["ada", "Expected an email address"],
  ["ada@", "not an email address"],
  ["ada@localhost", "not an email address"],
  ["Ada <ada@example.com>", "not an email address"],
  [`${"a".repeat(250)}@example.com`, "not an email address"],
  ["@com", "registry suffix"],
  ["@co.uk", "registry suffix"],
  ["com.au", "registry suffix"],
  ["@", "not a valid domain"],
  ["@exa mple.com", "not a valid domain"],
  ["@1.2.3.4", "not a valid domain"],
  ["@-a-.com", "not a valid domain"],
  ["https://example.com", "not a profile URL"],
  ["ftp://example.com/in/ada", "not a profile URL"],
  ["020 7946 0018", "Include + and the country code"],
  ["+44", "not a complete phone number"],
  ["+44 20", "not a complete phone number"],
  ["+999 20 7946 0018", "not a complete phone number"],
  ["sha256:email:zz", "32 or 64 hex digits"],
  ["sha256:0123456789abcdef0123456789abcdef", "32 or 64 hex digits"],
  ["sha256:name:0123456789abcdef0123456789abcdef", "32 or 64 hex digits"],
])("%j is no entry: %s", (text, says) => {
  expect(readValue(text, null)).toEqual({ problem: expect.stringContaining(says) });
});

test("a number without a country code is one of the region", () => {
  expect(readValue("020 7946 0018", "GB")).toMatchObject({ kind: "phone", value: "+442079460018" });
  expect(readValue("+49 30 123456", "GB")).toMatchObject({ kind: "phone", value: "+4930123456" });
  expect(readValue("12", "GB")).toEqual({ problem: expect.stringContaining("Outside GB") });
});

test("a domain that gives everybody addresses is taken with a warning", () => {
  expect(readValue("@gmail.com", null)).toMatchObject({
    kind: "domain",
    warning: expect.stringContaining("public email provider"),
  });
});

test("a hash is read back from its text, also from all the digits of sha256sum", () => {
  const key = suppressionKey("email", "ada@example.com");
  // printf 'email:ada@example.com' | sha256sum
  const whole = "sha256:email:9b62a3a2bce7c868f30d60f0818e84d225bceb56f6c2dccaa4ac388af5fd8f7f";
  expect(key).toHaveLength(16);
  expect(readHashText(hashText("email", key))).toEqual({ kind: "email", key });
  expect(readHashText(whole)).toEqual({ kind: "email", key });
  expect(readValue(hashText("email", key).toUpperCase(), null)).toMatchObject({ kind: "email", key, value: null });
  expect(suppressionKey("phone", "ada@example.com")).not.toEqual(key);
});
