import { describe, expect, test } from "bun:test";
import { leadContent, leadIdentity, type LeadDraft } from "../../src/features/leads/identity.ts";
import { maxCustomFields, maxTagLength, maxTags } from "../../src/features/leads/model.ts";

function contentOf(draft: LeadDraft) {
  const result = leadContent({ email: "ada@example.com", ...draft });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  return result.content;
}

function errorPathsOf(draft: LeadDraft): string[] {
  const result = leadContent(draft);
  return "errors" in result ? result.errors.map(({ path }) => path) : [];
}

describe("the content of a lead", () => {
  test("texts are trimmed and an empty one counts as absent", () => {
    expect(contentOf({ firstName: "  Ada ", lastName: " ", company: null })).toMatchObject({
      firstName: "Ada",
      lastName: null,
      company: null,
    });
  });

  test("control characters are removed, line breaks stay in notes only", () => {
    expect(contentOf({ company: "Ac\u0000me\r\nInc", notes: "a\r\nb\u0007\tc\rd" })).toMatchObject({
      company: "Acme Inc",
      notes: "a\nb\tc\nd",
    });
  });

  test("tags are trimmed, and empty and repeated ones dropped", () => {
    expect(contentOf({ tags: [" b", "a", "b ", "", " "] }).tags).toEqual(["b", "a"]);
  });

  test("every problem is told at once, by field", () => {
    const draft: LeadDraft = {
      ...{
        email: "x",
        networkUrl: "javascript:alert(1)",
        company: "c".repeat(301),
        tags: ["t".repeat(maxTagLength + 1)],
      },
      customFields: { big: "x".repeat(20_000) },
    };
    expect(errorPathsOf(draft).toSorted()).toEqual(["company", "customFields", "email", "networkUrl", "tags"]);
  });

  test("there are limits to the number of tags and custom fields", () => {
    expect(
      errorPathsOf({ email: "a@x.com", tags: Array.from({ length: maxTags + 1 }, (_, index) => `${index}`) }),
    ).toEqual(["tags"]);
    const many = Object.fromEntries(Array.from({ length: maxCustomFields + 1 }, (_, index) => [`${index}`, 1]));
    expect(errorPathsOf({ email: "a@x.com", customFields: many })).toEqual(["customFields"]);
  });

  test.each(["a@b", "a b@c.de", "a@@b.com", "@b.com", "a@b..com", "a@.com", "Ada <a@b.com>", "a@b.com,c@d.com"])(
    "%p is not an email address",
    (email) => {
      expect(errorPathsOf({ email })).toEqual(["email"]);
    },
  );

  test.each(["a@b.co", "o'neil+x@sub.example.com", "zoë@exämple.de"])("%p is an email address", (email) => {
    expect(errorPathsOf({ email })).toEqual([]);
  });

  test.each([
    [{ email: "a@x.com" }, true],
    [{ networkUrl: "https://network.example/in/ada" }, true],
    [{ firstName: "Ada", lastName: "L", company: "C" }, true],
    [{ firstName: "Ada", lastName: "L" }, false],
    [{ phone: "1" }, false],
  ])("%j identifies a person: %p", (draft: LeadDraft, expected) => {
    expect("content" in leadContent(draft)).toBe(expected);
  });
});

describe("the identity of a lead", () => {
  const nobody = { email: null, networkUrl: null, firstName: null, lastName: null, company: null };

  test("case of an address, spelling of a profile, and spaces, case and accents of a name don't matter", () => {
    const one = {
      email: "Ada@X.com",
      networkUrl: "http://www.network.example/in/Ada/",
      firstName: "Zo\u00eb",
      lastName: "De  Groot",
      company: "ACME",
    };
    const other = {
      email: "ada@x.COM",
      networkUrl: "network.example/in/ada?x=1",
      firstName: "Zoe\u0308",
      lastName: "de Groot",
      company: "Acme",
    };
    expect(leadIdentity(one)).toEqual(leadIdentity(other));
  });

  test("a first name that is a whole name needs no last name", () => {
    const of = (firstName: string) =>
      leadIdentity({ firstName, lastName: null, company: "ACME", email: null, networkUrl: null }).name;
    expect(["山田太郎", "高圆圆", "선우진", "竹ノ内豊"].map(of)).toEqual([
      "山田太郎\n\nacme", "高圆圆\n\nacme", "선우진\n\nacme", "竹ノ内豊\n\nacme",
    ]); // prettier-ignore
    expect(["太郎", "さくら", "민수", "Suharto"].map(of)).toEqual([null, null, null, null]);
  });

  test("a name without a company is none", () => {
    expect(leadIdentity({ ...nobody, firstName: "Ada", lastName: "L" })).toEqual({
      email: null,
      network: null,
      name: null,
    });
  });

  test("names can't be confused across their parts", () => {
    const name = (firstName: string, lastName: string) =>
      leadIdentity({ ...nobody, firstName, lastName, company: "c" }).name;
    expect(name("a b", "c")).not.toBe(name("a", "b c"));
  });
});
