import { describe, expect, test } from "bun:test";
import { array, assert, asyncProperty, constantFrom, nat, option, property, record } from "fast-check";
import type { Lead } from "../../src/features/leads/model.ts";
import {
  concernsPerson,
  erasedJob,
  erasedValues,
  erasureOf,
  redactedLead,
} from "../../src/features/privacy/decisions.ts";
import { identifyPerson, type PersonLookups } from "../../src/features/privacy/identify.ts";
import { erasedMark, mentionsOf } from "../../src/features/privacy/mentions.ts";
import type { Values } from "../../src/features/privacy/place-model.ts";
import { places } from "../../src/features/privacy/places.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const runs = { seed: 20_260_106, numRuns: 200 };
const ada = { emails: ["ada@example.com"], profiles: ["https://network.example/in/ada"] };

function erased(name: string, row: Values): Values {
  const { erase } = places.find((place) => place.name === name)!;
  if (typeof erase === "string") throw new Error(`${name} has rules of its own`);
  return erasedValues(erase, row);
}

describe("an erased enrollment", () => {
  const enrollment = { id: "7", lead_id: "lead", profile_key: "profile", version: 4, wake_at: 5 };

  test("that is active is stopped, and no longer wakes", () => {
    const row: Values = { ...enrollment, state: "active", reason: null };
    expect({ ...row, ...erased("enrollments", row) }).toEqual({
      ...{ id: "7", lead_id: "erased-7", profile_key: "erased", version: 5, wake_at: null },
      ...{ state: "stopped", reason: "leadGone" },
    });
  });

  test("that has ended keeps how it ended", () => {
    const row = { ...enrollment, state: "finished", reason: "replied" };
    expect({ ...row, ...erased("enrollments", row) }).toMatchObject({ state: "finished", reason: "replied" });
  });
});

test("an erasure overwrites registered columns only", () => {
  for (const { name, key, personal, others, erase } of places)
    if (typeof erase !== "string")
      expect([...key, ...personal, ...others]).toEqual(
        expect.arrayContaining(Object.keys(erased(name, { id: "1", state: "active", version: 1 }))),
      );
});

test("every personal column that is overwritten is overwritten in each row", () => {
  for (const { name, personal, erase } of places)
    if (typeof erase !== "string")
      for (const column of personal) expect([name, column in erased(name, {})]).toEqual([name, true]);
});

test("the job of an erased action keeps what says nothing about the person", () => {
  const metadata = { actionType: "message", outcome: "sent", profileUrl: ada.profiles[0], reason: "Ada left" };
  const job = make.job("user", {
    type: "linkedin_action",
    metadata,
    payload: { text: "Hi Ada" },
    editedMessage: "Ada",
  });
  expect(erasedJob(job)).toEqual({
    message: "The person was erased",
    editedMessage: null,
    metadata: { actionType: "message", outcome: "sent", erased: true },
    payload: {},
  });
});

describe("a row", () => {
  const mentions = mentionsOf(ada);
  const about = { isOwn: true, fields: { notes: "Met" } };
  const mention = { isOwn: false, fields: { notes: `Met ${ada.emails[0]}`, key: ada.emails[0] } };
  const other = { isOwn: false, fields: { notes: "Met", key: ada.emails[0] } };

  test("about the person is erased, one that mentions them is redacted, and any other is left alone", () => {
    const place = { texts: ["notes"] };
    expect(erasureOf(place, about, mentions)).toEqual({ kind: "erase" });
    expect(erasureOf(place, mention, mentions)).toEqual({ kind: "redact", texts: { notes: `Met ${erasedMark}` } });
    expect(erasureOf(place, other, mentions)).toBeNull();
    expect([about, mention, other].map((row) => concernsPerson(place, row, mentions))).toEqual([true, true, false]);
  });

  test("is erased for a mention where that was decided", () => {
    const place = { texts: ["notes"], erasesMentions: true } as const;
    expect(erasureOf(place, mention, mentions)).toEqual({ kind: "erase" });
    expect(erasureOf(place, other, mentions)).toBeNull();
  });
});

describe("redacted", () => {
  const mentions = mentionsOf(ada);
  const text = array(constantFrom("Met", "ADA@example.com", "bob@example.com", `${ada.profiles[0]}/`, "and"), {
    maxLength: 6,
  }).map((words) => words.join(" "));

  test("texts mention the person no more, and somebody else as before", () => {
    assert(
      property(text, text, (title, notes) => {
        const fields = { title, notes, tags: null };
        const erasure = erasureOf({ texts: ["title", "notes", "tags"] }, { isOwn: false, fields }, mentions);
        const after = { title, notes, ...(erasure?.kind === "redact" && erasure.texts) };
        for (const each of Object.values(after)) expect(mentions.redacted(each)).toBeNull();
        const count = (words: string) => words.split("bob@example.com").length;
        expect(count(after.title)).toBe(count(title));
      }),
      runs,
    );
  });

  test("leads keep what says nothing about the person", () => {
    assert(
      property(text, option(text), array(text, { maxLength: 3 }), (source, notes, tags) => {
        const lead = make.lead("user", { source, notes, tags, customFields: { met: source, n: 1 } });
        const after = redactedLead(lead, mentions);
        for (const each of [after.source, after.notes, ...after.tags, JSON.stringify(after.customFields)])
          expect(each === null ? null : mentions.redacted(each)).toBeNull();
        expect(after.customFields).toMatchObject({ n: 1 });
        const restored: Lead = { ...after, source, notes, tags, customFields: lead.customFields };
        expect(restored).toEqual(lead);
        if (mentions.redacted(source) === null) expect(after.source).toBe(source);
        else expect(after.source).toContain(erasedMark);
      }),
      runs,
    );
  });
});

describe("a person", () => {
  /** Records that share some of few addresses. */
  const address = constantFrom("a", "b", "c", "d", "e", "f");
  const person = record({ email: option(address), profile: option(address), isLead: nat(1) });
  const people = array(person, { minLength: 1, maxLength: 8 });
  const emailOf = (text: string | null) => (text === null ? null : `${text}@example.com`);
  const profileOf = (text: string | null) => (text === null ? null : `https://network.example/in/${text}`);
  type Person = { email: string | null; profile: string | null; isLead: number };

  function lookupsIn(all: readonly Person[]): PersonLookups {
    const records = all.map(({ email, profile, isLead }, n) => ({
      ...{ id: `${n}`, numbers: [n], email: emailOf(email), networkUrl: profileOf(profile) },
      isLead: isLead === 1,
    }));
    const having = ({ emails, profiles }: { emails: ReadonlySet<string>; profiles: ReadonlySet<string> }) =>
      records.filter(({ email, networkUrl }) => emails.has(email ?? "") || profiles.has(networkUrl ?? ""));
    return {
      lead: async (id) => records.find((each) => each.id === id && each.isLead) ?? null,
      leadsWith: async (addresses) => having(addresses).filter(({ isLead }) => isLead),
      prospectsWith: async (addresses) => having(addresses).filter(({ isLead }) => !isLead),
      mergedInto: async () => [],
      seenElsewhere: async () => [],
    };
  }

  test("is identified by everything that is reached from any identifier, whichever is given", async () => {
    await assert(
      asyncProperty(people, async (all) => {
        const lookups = lookupsIn(all);
        const identify = (email: string) =>
          identifyPerson({ email: emailOf(email), profile: null, leadId: null }, true, lookups);
        for (const { email } of all) {
          if (email === null) continue;
          const found = await identify(email);
          for (const other of found!.emails) {
            const same = await identify(other.slice(0, 1));
            expect([same!.emails.toSorted(), same!.leadIds.toSorted()]).toEqual([
              found!.emails.toSorted(),
              found!.leadIds.toSorted(),
            ]);
          }
        }
      }),
      runs,
    );
  });

  test("is identified by what was given and no more, if asked not to follow", async () => {
    await assert(
      asyncProperty(people, address, async (all, given) => {
        const query = { email: emailOf(given), profile: null, leadId: null };
        const found = await identifyPerson(query, false, lookupsIn(all));
        expect([found!.emails, found!.profiles]).toEqual([[emailOf(given)!], []]);
        const withAddress = all.flatMap(({ email, isLead }, n) => (email === given && isLead === 1 ? [`${n}`] : []));
        expect(found!.leadIds).toEqual(withAddress);
      }),
      runs,
    );
  });

  test("is nobody if the lead does not exist", async () => {
    const query = { email: null, profile: null, leadId: "none" };
    expect(await identifyPerson(query, true, lookupsIn([]))).toBeNull();
  });
});
