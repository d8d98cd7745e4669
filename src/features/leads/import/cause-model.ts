import { Type, type Static } from "@sinclair/typebox";
import { importReportOutcomes } from "../model.ts";

/** Rows that a cause is shown with. */
export const maxSamples = 3;

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const ImportCause = Type.Object(
  {
    outcome: Type.Union(importReportOutcomes.map((outcome) => Type.Literal(outcome))),
    path: Type.String({ description: "Field of the lead; empty if the cause is the whole row." }),
    message: Type.String({ description: "The reason, without the values of single rows." }),
    rows: Type.Integer({ description: "Number of rows." }),
    samples: Type.Array(
      Type.Object({
        row: Type.Integer(),
        detail: textOrNull,
        leadId: textOrNull,
        name: Type.Union([Type.String(), Type.Null()], { description: "Name of the lead; null without one." }),
      }),
      { description: `The first rows, up to ${maxSamples}.` },
    ),
  },
  { $id: "ImportCause" },
);
export type ImportCause = Static<typeof ImportCause>;
