import { Type, type TObject, type TSchema } from "@sinclair/typebox";
import { describe, expect, test } from "bun:test";
import { ApiError, type FieldError } from "../../src/platform/base/errors.ts";
import { body, params, queryOf } from "../../src/platform/http/input.ts";

const Person = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  age: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  nick: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
  mood: Type.Optional(Type.Union([Type.Literal("calm"), Type.Literal("wild")])),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 2 }), { minItems: 1, maxItems: 2 })),
  at: Type.Optional(Type.String({ pattern: "^\\d\\d:\\d\\d$", description: "Wall-clock time as HH:MM" })),
  code: Type.Optional(Type.String({ pattern: "^x+$", minLength: 3 })),
  share: Type.Optional(Type.Number({ minimum: 0 })),
  rate: Type.Optional(Type.Number({ maximum: 1 })),
  size: Type.Optional(Type.Integer()),
  place: Type.Optional(
    Type.Object(
      { city: Type.Optional(Type.String()), state: Type.Optional(Type.String()) },
      { additionalProperties: false },
    ),
  ),
});

describe("a body", () => {
  test("that fits is taken as it is, with fields that nobody knows", () => {
    const value = { name: "Ada", age: 36, nick: null, unknown: [1] };
    expect(validated(body(Person), value)).toEqual(value);
  });

  test.each([
    ["a missing field", {}, "name", "This field is required."],
    ["an empty text", { name: "" }, "name", "Must not be empty."],
    ["a text that is too short", { name: "A", code: "x" }, "code", "Expected at least 3 characters."],
    ["a text that is too long", { name: "Adelaide" }, "name", "Expected at most 5 characters, got 8."],
    ["a number for a text", { name: 5 }, "name", "Expected string, got 5."],
    ["a number below the range", { name: "A", age: 0 }, "age", "Expected an integer from 1 to 100, got 0."],
    ["a number above the range", { name: "A", age: 101 }, "age", "Expected an integer from 1 to 100, got 101."],
    ["a fraction for an integer", { name: "A", age: 1.5 }, "age", "Expected an integer from 1 to 100, got 1.5."],
    ["a text for an integer", { name: "A", age: "36" }, "age", 'Expected an integer from 1 to 100, got "36".'],
    ["a text for an integer without a range", { name: "A", size: "L" }, "size", 'Expected an integer, got "L".'],
    ["a number below its only bound", { name: "A", share: -1 }, "share", "Expected a number of at least 0, got -1."],
    ["a number above its only bound", { name: "A", rate: 2 }, "rate", "Expected a number of at most 1, got 2."],
    ["a word that is no choice", { name: "A", mood: "sad" }, "mood", 'Expected one of calm, wild, got "sad".'],
    ["another type for a text or null", { name: "A", nick: 5 }, "nick", "Expected string or null, got 5."],
    [
      "a text that is too long, where null would do",
      { name: "A", nick: "long" },
      "nick",
      "Expected at most 3 characters, got 4.",
    ],
    [
      "a text of another form, by its description",
      { name: "A", at: "9" },
      "at",
      'Expected wall-clock time as HH:MM, got "9".',
    ],
    [
      "a text of another form, by its pattern",
      { name: "A", code: "xyz" },
      "code",
      'Expected text that matches ^x+$, got "xyz".',
    ],
    [
      "a field that an object of known names has not",
      { name: "A", size: 1, place: { citty: "Rome" } },
      "place.citty",
      "Unknown field. Expected one of city, state. Did you mean city?",
    ],
    ["a list that is too short", { name: "A", tags: [] }, "tags", "Expected at least 1 item."],
    ["a list that is too long", { name: "A", tags: ["aa", "bb", "cc"] }, "tags", "Expected at most 2 items, got 3."],
  ])("with %s is refused with a sentence for the field", (_what, value, path, message) => {
    expect(errorsOf(body(Person), value)).toEqual([{ path, message }]);
  });

  test("with a bad item in a list is refused with the item's index", () => {
    expect(errorsOf(body(Person), { name: "A", tags: ["ok", "x"] })).toEqual([
      { path: "tags.1", index: 1, message: "Expected at least 2 characters." },
    ]);
  });

  test("with a bad field deep inside is refused with the dotted path to it", () => {
    const schema = Type.Object({ week: Type.Object({ days: Type.Array(Type.Object({ from: Type.Integer() })) }) });
    expect(errorsOf(body(schema), { week: { days: [{ from: 1 }, { from: "x" }] } })).toMatchObject([
      { path: "week.days.1.from" },
    ]);
    const list = Type.Object({ people: Type.Array(Type.Object({ name: Type.String() })) });
    expect(errorsOf(body(list), { people: [{ name: "A" }, {}] })).toEqual([
      { path: "people.1.name", index: 1, message: "This field is required." },
    ]);
  });

  test("with several problems is refused with all of them, each field once", () => {
    const errors = errorsOf(body(Person), { age: 0, tags: ["x", "y"] });
    expect(errors.map(({ path }) => path)).toEqual(["name", "age", "tags.0", "tags.1"]);
  });

  test("with a name that holds a slash or a tilde is refused under that name", () => {
    const schema = Type.Object({ fields: Type.Record(Type.String(), Type.Integer()) });
    expect(errorsOf(body(schema), { fields: { "a/b~c": "x" } })).toMatchObject([{ path: "fields.a/b~c" }]);
  });

  test("that shows a long value is refused with a short message", () => {
    const [error] = errorsOf(body(Person), { name: "A", mood: "m".repeat(10_000) });
    expect(error?.message.length).toBeLessThan(120);
    expect(error?.message).toEndWith("….");
  });

  test("full of problems is refused with the first hundred of them", () => {
    const schema = Type.Object({ list: Type.Array(Type.Integer()) });
    const errors = errorsOf(body(schema), { list: Array.from({ length: 1000 }, () => "x") });
    expect(errors.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  test("that is missing is asked for", () => {
    for (const value of [undefined, null])
      expect(errorsOf(body(Person), value)).toEqual([{ path: "", message: "Send a JSON body." }]);
  });

  test.each([[[]], ["text"], [5]])("that is %j instead of an object is refused", (value) => {
    expect(errorsOf(body(Person), value)).toMatchObject([{ path: "" }]);
  });
});

describe("parameters", () => {
  const Query = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    share: Type.Optional(Type.Number()),
    dryRun: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Type.Array(Type.String())),
    q: Type.Optional(Type.String()),
  });
  const read = params(Query);

  test("are read out of their texts", () => {
    const texts = { limit: "20", share: "-0.5", dryRun: "true", tags: ["a", "b"], q: "12" };
    expect(validated(read, texts)).toEqual({ limit: 20, share: -0.5, dryRun: true, tags: ["a", "b"], q: "12" });
  });

  test.each([
    ["+5", 5],
    ["5.0", 5],
    ["007", 7],
  ])("%s is the integer %d", (limit, value) => {
    expect(validated(read, { limit })).toEqual({ limit: value });
  });

  test("of a list may come once", () => {
    expect(validated(read, { tags: "a" })).toEqual({ tags: ["a"] });
  });

  test.each([
    ["1", true],
    ["true", true],
    ["0", false],
    ["false", false],
  ])("%s is %p for a yes or no", (text, value) => {
    expect(validated(read, { dryRun: text })).toEqual({ dryRun: value });
  });

  test("that are empty were left out", () => {
    expect(validated(read, { limit: "", q: "", dryRun: "", tags: "" })).toEqual({});
  });

  test.each([
    ["0", "0"],
    ["101", "101"],
    ["1e2", '"1e2"'],
    ["0x10", '"0x10"'],
    [" 5", '" 5"'],
    ["ten", '"ten"'],
    ["1.5", '"1.5"'],
    ["9007199254740993", '"9007199254740993"'],
  ])("%j is refused as a limit", (limit, shown) => {
    expect(errorsOf(read, { limit })).toEqual([
      { path: "limit", message: `Expected an integer from 1 to 100, got ${shown}.` },
    ]);
  });

  test("that come twice where one is wanted are refused", () => {
    expect(errorsOf(read, { q: ["a", "b"] })).toMatchObject([{ path: "q" }]);
    expect(errorsOf(read, { limit: ["1", "2"] })).toMatchObject([{ path: "limit" }]);
  });

  test("of other names are passed through", () => {
    expect(validated(read, { cursor: "5" })).toEqual({ cursor: "5" });
  });
});

test.each([
  ["http://localhost/leads", {}],
  ["http://localhost/leads?", {}],
  ["http://localhost/leads?a=1&b=x%20y+z", { a: "1", b: "x y z" }],
  ["http://localhost/leads?a=1&a=2&a=", { a: ["1", "2", ""] }],
  ["http://localhost/leads?company=Smith,%20Sons%20%5BUK%5D", { company: "Smith, Sons [UK]" }],
  ["http://localhost/leads?a&b=?", { a: "", b: "?" }],
])("the query of %s", (url, expected) => {
  expect(queryOf(url)).toEqual(expected);
});

test("a parameter with the name of something that every object has is only a parameter", () => {
  expect(Object.keys(queryOf("http://localhost/?__proto__=x&constructor=y"))).toEqual(["__proto__", "constructor"]);
});

type Validator = ReturnType<typeof body<TSchema>> | ReturnType<typeof params<TObject>>;

function validated(input: Validator, value: unknown): unknown {
  return input["~standard"].validate(value).value;
}

function errorsOf(input: Validator, value: unknown): FieldError[] {
  try {
    validated(input, value);
  } catch (error) {
    if (error instanceof ApiError && error.code === "VALIDATION_ERROR")
      return error.details?.["errors"] as FieldError[];
    throw error;
  }
  throw new Error("Expected the input to be refused");
}
