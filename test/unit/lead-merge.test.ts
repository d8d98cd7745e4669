import { expect, test } from "bun:test";
import { contentOfBoth } from "../../src/features/leads/merge-decision.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const lead = (overrides: object) => make.lead("w", overrides);

test("what the kept lead lacks comes from the other one, and its own values stay", () => {
  const keep = lead({ title: "CTO", phone: null, customFields: { size: 5 }, tags: ["a"], assignedTo: null });
  const other = lead({
    ...{ title: "Buyer", phone: "+49 30 1", customFields: { size: 7, note: "x" }, tags: ["b", "a"] },
    assignedTo: "ada",
  });
  expect(contentOfBoth(keep, other, [])).toMatchObject({
    ...{ title: "CTO", phone: "+49 30 1", email: keep.email, customFields: { size: 5, note: "x" } },
    ...{ tags: ["a", "b"], assignedTo: "ada" },
  });
});

test("fields can be taken from the other lead, unless it lacks them", () => {
  const keep = lead({ title: "CTO", phone: "1", status: "qualified", assignedTo: "bob" });
  const other = lead({ title: "Buyer", phone: null, status: "new", assignedTo: "ada" });
  const content = contentOfBoth(keep, other, ["title", "phone", "status", "assignedTo", "email"]);
  expect(content).toMatchObject({ title: "Buyer", phone: "1", status: "new", assignedTo: "ada", email: other.email });
});

test("the status is the one that got furthest", () => {
  expect(contentOfBoth(lead({ status: "new" }), lead({ status: "contacted" }), []).status).toBe("contacted");
  expect(contentOfBoth(lead({ status: "converted" }), lead({ status: "contacted" }), []).status).toBe("converted");
});

test("notes are combined, unless they are the same or too long together", () => {
  const notes = (keep: string | null, other: string | null, take: "notes"[] = []) =>
    contentOfBoth(lead({ notes: keep }), lead({ notes: other }), take).notes;
  expect(notes("one", "two")).toBe("one\n\ntwo");
  expect(notes("one two", "two")).toBe("one two");
  expect(notes(null, "two")).toBe("two");
  expect(notes("one", "two", ["notes"])).toBe("two");
  expect(notes("a".repeat(9_999), "b".repeat(9))).toBe("a".repeat(9_999));
});
