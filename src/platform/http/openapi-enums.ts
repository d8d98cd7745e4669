import { Kind, type TSchema } from "@sinclair/typebox";

/**
 * Turns unions of literals into `enum`, at any depth. The generator of the document does so too, but omits their
 * description and default, and calls all of them strings.
 */
export function withEnums(schema: TSchema): TSchema {
  const fields = Object.entries(schema).map(([name, value]) => [name, withEnumsIn(value)]);
  // Spread, because the type of a schema is a symbol.
  const copy = { ...schema, ...Object.fromEntries(fields) } as TSchema;
  const values = literalsOf(copy);
  if (values === null) return copy;
  const { anyOf: _, [Kind]: __, ...rest } = copy;
  const types = [...new Set(values.map((value) => typeof value))];
  return { type: types.length === 1 ? types[0] : types, enum: values, ...rest } as unknown as TSchema;
}

function withEnumsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withEnumsIn);
  return typeof value === "object" && value !== null ? withEnums(value as TSchema) : value;
}

/** The values of a union of literals; null for any other schema. */
function literalsOf(schema: TSchema): unknown[] | null {
  const options = schema[Kind] === "Union" ? (schema["anyOf"] as TSchema[]) : [];
  return options.length > 0 && options.every((option) => option["const"] !== undefined)
    ? options.map((option) => option["const"] as unknown)
    : null;
}
