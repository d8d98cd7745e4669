import { expect, test } from "bun:test";
import {
  identifiersOfPerson,
  maxIdentifiers,
  maxNeighbors,
  type Identifier,
} from "../../src/features/suppression/person-identifiers.ts";

const email = (value: string): Identifier => ({ kind: "email", value });

test("identifiers are followed from record to record, the nearest first, each once", () => {
  const records = [
    ["a@x.example", "b@x.example"],
    ["b@x.example", "c@x.example"],
    ["c@x.example", "a@x.example"],
    ["z@x.example"],
  ];
  const found = identifiersOfPerson([email("a@x.example")], ({ value }) =>
    records
      .filter((record) => record.includes(value))
      .flat()
      .map(email),
  );
  expect([...found].map(({ value }) => value)).toEqual(["a@x.example", "b@x.example", "c@x.example"]);
});

test.each(["info@x.example", "Sales@x.example", "no-reply@x.example", "support+eu@x.example"])(
  "%s belongs to a person but leads to no other",
  (role) => {
    const records = [
      ["a@x.example", role],
      [role, "b@x.example"],
    ];
    const beside = ({ value }: Identifier) =>
      records
        .filter((record) => record.includes(value))
        .flat()
        .map(email);
    expect([...identifiersOfPerson([email("a@x.example")], beside)]).toEqual([email("a@x.example"), email(role)]);
  },
);

test("an identifier with more neighbors than a person has is shared, and links no one", () => {
  const neighbors = Array.from({ length: maxNeighbors + 1 }, (_, n) => email(`n${n}@x.example`));
  expect([...identifiersOfPerson([email("a@x.example")], () => neighbors)]).toHaveLength(1);
  expect([...identifiersOfPerson([email("a@x.example")], () => neighbors.slice(1))]).toHaveLength(maxNeighbors + 1);
});

test("a chain without end stops at the bound", () => {
  let asked = 0;
  const found = identifiersOfPerson([email("0@x.example")], ({ value }) => {
    asked++;
    return [email(`${Number.parseInt(value) + 1}@x.example`)];
  });
  expect([...found]).toHaveLength(maxIdentifiers);
  expect(asked).toBeLessThanOrEqual(maxIdentifiers);
});
