import { Type, type Static } from "@sinclair/typebox";

const text = Type.Union([Type.String(), Type.Null()]);

export const ImportPreview = Type.Object(
  {
    problem: Type.Union([Type.String(), Type.Null()], {
      description: "Why it can't be imported like this. Map its columns to fields, and it may.",
    }),
    format: Type.Union([Type.Literal("csv"), Type.Literal("ndjson")]),
    encoding: Type.Union([Type.String(), Type.Null()], {
      description: "What the text is in, as far as this part of it tells. If names look wrong, name another.",
    }),
    delimiter: text,
    columns: Type.Array(
      Type.Object({
        header: Type.String(),
        target: Type.Union([Type.String(), Type.Null()], { description: "Where its values go." }),
      }),
    ),
    targets: Type.Array(Type.String(), { description: "What a column can be mapped to, besides customFields.NAME." }),
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: "Line as a spreadsheet numbers it." }),
        lead: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
          description: "As it would be stored; null when the row can't be a lead.",
        }),
        errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
      }),
      { description: "The first few." },
    ),
  },
  { $id: "LeadImportPreview" },
);
export type ImportPreview = Static<typeof ImportPreview>;
