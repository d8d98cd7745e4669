import { Type, type TSchema } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import type { ErrorCode } from "../base/errors.ts";
import type { tags } from "./openapi-document.ts";

type Described = {
  tag: keyof typeof tags;
  summary: string;
  description?: string;
  /** Status of success; 200 unless said. */
  status?: number;
  /** Refusals beyond those that every route can answer. */
  errors?: readonly ErrorCode[];
  /** Response headers worth knowing, with what they say. */
  headers?: Record<string, string>;
};

/** The success body of most routes: `{ success: true, data }`. */
export function success<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data });
}

/** What the document says of a route whose success is JSON of `schema` (the whole body). */
export function answersJson(schema: TSchema, described: Described): DocumentDecoration {
  return answers({ "application/json": { schema } }, described);
}

/** As `answersJson`, for other media types: name and schema of each. */
export function answers(content: Record<string, { schema: TSchema }>, described: Described): DocumentDecoration {
  const { tag, summary, description, status = 200, errors = [], headers = {} } = described;
  const success = {
    description: "Success.",
    content,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" as const } }]),
    ),
  };
  const detail = {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    responses: { [status]: success },
    // Put into words when somebody asks for the document: every start would pay for it here.
    "x-errors": errors,
  };
  return detail;
}

/** Adds the response of a route that gives out parts of a file (see `fileAnswer`). */
export function withRanges(detail: DocumentDecoration): DocumentDecoration {
  const responses = detail.responses as Record<string, { content: object }>;
  const part = { description: "The part that Range names.", content: responses["200"]!.content };
  return { ...detail, responses: { ...responses, 206: part } as NonNullable<DocumentDecoration["responses"]> };
}
