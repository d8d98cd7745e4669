import { Type, type Static } from "@sinclair/typebox";

const text = Type.Union([Type.String(), Type.Null()]);

export const ImportPreview = Type.Object(
  {
    problem: Type.Union([Type.String(), Type.Null()], {
      description: "Why the file can't be imported as it is. Mapping its columns may help.",
    }),
    format: Type.Union([Type.Literal("csv"), Type.Literal("ndjson"), Type.Literal("xlsx")]),
    encoding: Type.Union([Type.String(), Type.Null()], {
      description:
        "Encoding detected from this part of the file. If names look wrong, set another one. null for a workbook.",
    }),
    delimiter: text,
    sheet: Type.Union([Type.String(), Type.Null()], {
      description: "Sheet of the workbook that is read; null for other files.",
    }),
    sheets: Type.Array(Type.String(), { description: "All sheets of the workbook that have cells." }),
    columns: Type.Array(
      Type.Object({
        header: Type.String(),
        target: Type.Union([Type.String(), Type.Null()], { description: "Field that receives the values." }),
      }),
    ),
    targets: Type.Array(Type.String(), {
      description: "Fields that a column can be mapped to, in addition to customFields.NAME.",
    }),
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: "Row number as in a spreadsheet." }),
        lead: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
          description: "Lead as it would be stored; null if the row is invalid.",
        }),
        errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
      }),
      { description: "First rows of the file." },
    ),
  },
  { $id: "LeadImportPreview" },
);
export type ImportPreview = Static<typeof ImportPreview>;
