import { describe, expect, test } from "bun:test";
import { allFields, fieldsOf } from "../../src/features/enrichment/fields.ts";
import type { Finding, Merged, Subject } from "../../src/features/enrichment/model.ts";
import { Verdicts } from "../../src/features/enrichment/verdicts.ts";
import {
  entriesOf,
  extendSubject,
  hasNewData,
  isWorthAsking,
  merge,
  recordConfidence,
  pickFields,
  sourcesOf,
} from "../../src/features/enrichment/waterfall.ts";
import { nobody } from "../support/vendors.ts";

/** What several providers say, in turn. */
function merged(input: Partial<Subject>, ...said: [string, Finding[]][]): Merged {
  return said.reduce<Merged>(
    (sum, [provider, findings], turn) => merge(sum, provider, findings, { ...nobody, ...input }, 1000 + turn),
    {},
  );
}
const says = (field: Finding["field"], value: Finding["value"], confidence = 0.6): Finding => ({
  field,
  value,
  confidence,
});
const shown = (record: Merged) =>
  Object.fromEntries(
    entriesOf(record).map(([field, { value, confidence }]) => [field, [value, Math.round(confidence * 100) / 100]]),
  );

describe("merging", () => {
  test("the surer value wins, whoever came first", () => {
    const record = merged(
      {},
      ["a", [says("title", "CTO", 0.6)]],
      ["b", [says("title", "CEO", 0.9)]],
      ["c", [says("title", "Boss", 0.7)]],
    );
    expect(record.title).toEqual({ value: "CEO", confidence: 0.9, providers: ["b"], at: 1001 });
    expect(sourcesOf(record)).toEqual(["b"]);
  });

  test("an address is taken out of what stands around it, and what is none is left out", () => {
    const kim = { email: ["kim@d.com", 0.6] };
    for (const text of ["mailto:kim@d.com", "MAILTO:kim@d.com?subject=Hi", "Kim Dee <kim@d.com>", "<mailto:kim@d.com>"])
      expect(shown(merged({}, ["a", [says("email", text)]]))).toEqual(kim);
    for (const text of ["N/A", "none", "kim at d.com", "kim@d", "a@d.com, b@d.com", `${"k".repeat(250)}@d.com`])
      expect(merged({}, ["a", [says("email", text), says("alternativeEmails", [text])]])).toEqual({});
    const mixed = says("alternativeEmails", ["none", "Kim <kim@d.com>", "mailto:k@d.com"]);
    expect(merged({}, ["a", [mixed]]).alternativeEmails?.value).toEqual(["kim@d.com", "k@d.com"]);
  });

  test("among equals the earlier one wins", () => {
    expect(shown(merged({}, ["a", [says("title", "CTO")]], ["b", [says("title", "CEO")]]))).toEqual({
      title: ["CTO", 0.6],
    });
  });

  test("those who agree make it surer, never certain, and are both sources", () => {
    const record = merged(
      {},
      ["a", [says("company", "Müller  GmbH", 0.6)]],
      ["b", [says("company", "muller gmbh", 0.5)]],
    );
    expect(shown(record)).toEqual({ company: ["Müller  GmbH", 0.8] });
    expect(record.company?.providers).toEqual(["a", "b"]);
    const certain = merged({}, ["a", [says("company", "X", 1)]], ["b", [says("company", "x", 1)]]);
    expect(certain.company?.confidence).toBe(0.99);
  });

  test("who says the same again is as sure as the surer time", () => {
    const again = merged(
      {},
      ["a", [says("company", "X", 0.6), says("company", "x", 0.7)]],
      ["a", [says("company", "X", 0.5)]],
    );
    expect(shown(again)).toEqual({ company: ["X", 0.7] });
    const both = merged(
      {},
      ["a", [says("company", "X", 0.6)]],
      ["b", [says("company", "X", 0.5)]],
      ["a", [says("company", "X", 0.6)]],
    );
    expect(shown(both)).toEqual({ company: ["X", 0.8] });
  });

  test("URLs that differ in scheme, www and a closing slash agree", () => {
    const record = merged(
      {},
      ["a", [says("companyInfo.website", "https://www.x.com/", 0.5)]],
      ["b", [says("companyInfo.website", "http://x.com", 0.5)]],
    );
    expect(shown(record)).toEqual({ "companyInfo.website": ["https://www.x.com/", 0.75] });
  });

  test("an address that loses is an alternative, unless it is unlikely", () => {
    const record = merged(
      {},
      ["a", [says("email", "a@x.com", 0.5)]],
      ["b", [says("email", "b@x.com", 0.9)]],
      ["c", [says("email", "c@x.com", 0.3)]],
    );
    expect(shown(record)).toEqual({ email: ["b@x.com", 0.9], alternativeEmails: [["a@x.com"], 0.5] });
  });

  test("another address than the one that was asked about never takes its place", () => {
    const record = merged(
      { email: "asked@x.com" },
      ["a", [says("email", "other@x.com", 0.95)]],
      ["b", [says("email", "Asked@x.com", 0.6)]],
    );
    expect(shown(record)).toEqual({ alternativeEmails: [["other@x.com"], 0.95], email: ["Asked@x.com", 0.6] });
  });

  test("lists are joined without repeats and bounded", () => {
    const many = Array.from({ length: 80 }, (_, n) => `skill ${n}`);
    const record = merged(
      {},
      ["a", [says("skills", ["SQL", "sql ", "Rust"])]],
      ["b", [says("skills", ["rust", ...many], 0.8)]],
    );
    expect((record.skills?.value as string[]).slice(0, 3)).toEqual(["SQL", "Rust", "skill 0"]);
    expect(record.skills?.value).toHaveLength(50);
    expect(record.skills?.confidence).toBe(0.8);
  });

  test("a verification decides: surer, less sure, or gone", () => {
    const guess: [string, Finding[]] = ["local", [says("email", "a@x.com", 0.7)]];
    const verdict = (confidence: number, email = "a@x.com"): [string, Finding[]] => [
      "check",
      [{ ...says("email", email, confidence), verifies: true }],
    ];
    expect(shown(merged({}, guess, verdict(0.97)))).toEqual({ email: ["a@x.com", 0.97] });
    expect(shown(merged({}, guess, verdict(0.4)))).toEqual({ email: ["a@x.com", 0.4] });
    expect(merged({}, guess, verdict(0))).toEqual({});
    expect(shown(merged({}, guess, verdict(0, "other@x.com")))).toEqual({ email: ["a@x.com", 0.7] });
    expect(shown(merged({ email: "a@x.com" }, verdict(0.97)))).toEqual({ email: ["a@x.com", 0.97] });
  });

  describe("an address that is refuted", () => {
    const refuted = (...emails: string[]): Verdicts => {
      const verdicts = new Verdicts();
      for (const email of emails) verdicts.add({ email, provider: "check", confidence: 0, at: 1 });
      return verdicts;
    };
    const alternatives = says("alternativeEmails", ["a@x.com", "b@x.com"], 0.9);

    test("is left out of what others say, and takes nothing from what was there", () => {
      const before = merged({}, ["a", [says("email", "b@x.com", 0.6)]]);
      const record = merge(before, "b", [says("email", "A@x.com", 0.95), alternatives], nobody, 1, refuted("a@x.com"));
      expect(shown(record)).toEqual({ email: ["b@x.com", 0.6] });
      expect(merge({}, "b", [alternatives], nobody, 1, refuted("a@x.com", "B@x.com"))).toEqual({});
    });

    test("goes out of the record with the verdict, alternatives included", () => {
      const before = merged({}, ["a", [says("email", "c@x.com", 0.9), alternatives]]);
      const verdict = { ...says("email", "a@x.com", 0), verifies: true } as const;
      expect(shown(merge(before, "check", [verdict], nobody, 2, refuted("a@x.com")))).toEqual({
        email: ["c@x.com", 0.9],
        alternativeEmails: [["b@x.com"], 0.9],
      });
    });

    test("and was asked about makes room for another one", () => {
      const input = { ...nobody, email: "a@x.com" };
      const record = merge({}, "b", [says("email", "b@x.com", 0.9)], input, 1, refuted("a@x.com"));
      expect(shown(record)).toEqual({ email: ["b@x.com", 0.9] });
      expect(extendSubject(input, {}, refuted("a@x.com"))).toMatchObject({ email: "a@x.com", emailIsRefuted: true });
      const found = extendSubject(input, record, refuted("a@x.com"));
      expect(found).toMatchObject({ email: "b@x.com", candidateEmail: null });
      expect(found).not.toHaveProperty("emailIsRefuted");
      const guess = merge({}, "b", [says("email", "b@x.com", 0.5)], input, 1, refuted("a@x.com"));
      expect(extendSubject(input, guess, refuted("a@x.com"))).toMatchObject({
        email: "a@x.com",
        candidateEmail: "b@x.com",
      });
    });
  });

  test("of several verdicts on an address the surest counts, whoever came first, and of equals the newest", () => {
    const verdict = (provider: string, confidence: number, at = 1) => ({ email: "a@x.com", provider, confidence, at });
    const counts = (...all: ReturnType<typeof verdict>[]) => {
      const verdicts = new Verdicts();
      for (const each of all) verdicts.add(each);
      return verdicts.of("A@x.com")?.provider;
    };
    const [invalid, valid, risky] = [verdict("i", 0), verdict("v", 0.97), verdict("r", 0.6)];
    for (const order of [
      [invalid, valid, risky],
      [valid, risky, invalid],
    ])
      expect(counts(...order)).toBe("i");
    expect(counts(risky, valid)).toBe("v");
    expect(counts(verdict("old", 1, 1), verdict("new", 0, 2))).toBe("new");
    expect(counts(invalid, verdict("i", 0.6, 2), valid)).toBe("v");
    expect(counts()).toBeUndefined();
  });

  test("a record under another family name counts half", () => {
    const record = merged({ lastName: "Lovelace" }, ["a", [says("lastName", "Byron", 0.8), says("title", "CTO", 0.8)]]);
    expect(shown(record)).toEqual({ lastName: ["Byron", 0.4], title: ["CTO", 0.4] });
    expect(shown(merged({ lastName: "García" }, ["a", [says("lastName", "GARCIA", 0.8)]]))).toEqual({
      lastName: ["GARCIA", 0.8],
    });
  });

  test("texts are cleaned, empty ones dropped, long ones cut, and confidence stays between 0 and 1", () => {
    const record = merged({}, [
      "a",
      [
        says("bio", "a\u0000\nb".padEnd(9000, "x"), 7),
        says("title", " \t "),
        says("skills", ["", " "]),
        says("phone", "1", -1),
      ],
    ]);
    expect(record.bio?.value).toHaveLength(4000);
    expect(record.bio?.value).toStartWith("a bx");
    expect(record.bio?.confidence).toBe(1);
    expect(Object.keys(record)).toEqual(["bio"]);
  });
});

describe("the course", () => {
  test("somebody is asked as long as a wanted field that they give is not sure enough", () => {
    const contact = fieldsOf(["contact"]);
    expect(isWorthAsking({}, contact, ["email"])).toBe(true);
    expect(isWorthAsking({}, contact, ["title"])).toBe(false);
    expect(isWorthAsking(merged({}, ["a", [says("email", "a@x.com", 0.7)]]), contact, ["email", "title"])).toBe(true);
    expect(isWorthAsking(merged({}, ["a", [says("email", "a@x.com", 0.8)]]), contact, ["email", "title"])).toBe(false);
    expect(isWorthAsking(merged({}, ["a", [says("email", "a@x.com", 0.8)]]), contact, ["email", "phone"])).toBe(true);
  });

  test("what was found is known to the next one", () => {
    const record = merged({}, [
      "a",
      [says("email", "Ada@Acme.com", 0.8), says("company", "Acme"), says("firstName", "Ada")],
    ]);
    expect(extendSubject({ ...nobody, firstName: "Augusta" }, record)).toEqual({
      email: "ada@acme.com",
      candidateEmail: null,
      networkUrl: null,
      firstName: "Augusta",
      lastName: null,
      company: "Acme",
      domain: "acme.com",
    });
    const guess = merged({}, ["a", [says("email", "ada@acme.com", 0.7)]]);
    expect(extendSubject(nobody, guess)).toMatchObject({
      email: null,
      candidateEmail: "ada@acme.com",
      domain: "acme.com",
    });
    expect(extendSubject({ ...nobody, email: "ada@gmail.com" }, {}).domain).toBeNull();
    const site = merged({}, ["a", [says("companyInfo.website", "https://www.acme.io/about")]]);
    expect(extendSubject({ ...nobody, email: "ada@gmail.com" }, site).domain).toBe("acme.io");
  });

  test("only what was not in the input, and is more than a guess, is worth paying for", () => {
    const input = { firstName: "Ada", email: "ada@x.com" };
    const record = merged({}, [
      "a",
      [says("firstName", "ADA", 0.9), says("email", "ada@x.com", 0.9), says("title", "CTO", 0.3)],
    ]);
    expect(hasNewData(record, input, 0.5)).toBe(false);
    expect(hasNewData(record, input, 0)).toBe(true);
    expect(hasNewData(merge(record, "b", [says("phone", "1", 0.5)], nobody, 1), input, 0.5)).toBe(true);
  });

  test("an option keeps its group and the sources of it", () => {
    const record = merged({}, ["a", [says("email", "a@x.com")]], ["b", [says("title", "CTO")]]);
    expect(shown(pickFields(record, fieldsOf(["personal"])))).toEqual({ title: ["CTO", 0.6] });
    expect(sourcesOf(pickFields(record, fieldsOf(["personal"])))).toEqual(["b"]);
    expect(pickFields(record, new Set(allFields))).toEqual(record);
  });

  test("the record is as sure as its parts, by their weight, and absent parts do not count", () => {
    expect(recordConfidence({})).toBe(0);
    expect(recordConfidence(merged({}, ["a", [says("email", "a@x.com", 0.9)]]))).toBe(0.9);
    const record = merged({}, [
      "a",
      [
        says("email", "a@x.com", 0.9),
        says("firstName", "A", 0.6),
        says("title", "T", 0.4),
        says("company", "C", 0.5),
        says("phone", "1", 1),
      ],
    ]);
    // (0.4 * 0.9 + 0.3 * 0.5 + 0.2 * 0.5 + 0.1 * 1) / 1
    expect(recordConfidence(record)).toBe(0.71);
  });
});
