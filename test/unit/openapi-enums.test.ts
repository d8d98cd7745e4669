import { Type } from "@sinclair/typebox";
import { expect, test } from "bun:test";
import { withEnums } from "../../src/platform/http/openapi-enums.ts";

const json = (schema: Parameters<typeof withEnums>[0]) => JSON.parse(JSON.stringify(withEnums(schema))) as unknown;

test("an enum keeps its description and default", () => {
  const order = Type.Union([Type.Literal("asc"), Type.Literal("desc")], { default: "desc", description: "Order." });
  expect(json(Type.Object({ order: Type.Optional(order) }))).toEqual({
    type: "object",
    properties: { order: { type: "string", enum: ["asc", "desc"], default: "desc", description: "Order." } },
  });
});

test("an enum of numbers is not of strings, and in a list it is one, too", () => {
  const sizes = Type.Array(Type.Union([Type.Literal(1), Type.Literal(2)]));
  expect(json(sizes)).toEqual({ type: "array", items: { type: "number", enum: [1, 2] } });
});

test("other unions stay as they are", () => {
  const mixed = Type.Union([Type.Literal("none"), Type.Integer(), Type.Null()]);
  expect(json(mixed)).toEqual(JSON.parse(JSON.stringify(mixed)));
});
