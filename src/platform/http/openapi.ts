import { Type, type TSchema } from "@sinclair/typebox";
import type { DocumentDecoration } from "elysia";
import type { ErrorCode } from "../base/errors.ts";
import type { tags } from "./openapi-document.ts";

type Described = {
  tag: keyof typeof tags;
  summary: string;
  description?: string;
  /** Status of a success; 200 by default. */
  status?: number;
  /** Errors that not every route can return. */
  errors?: readonly ErrorCode[];
  /** Notable response headers with their descriptions. */
  headers?: Record<string, string>;
};

/** The success body of most routes: `{ success: true, data }`. */
export function success<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data });
}

/** Documents a route that returns JSON. `schema` describes the whole body. */
export function answersJson(schema: TSchema, described: Described): DocumentDecoration {
  return answers({ "application/json": { schema } }, described);
}

/** Like `answersJson`, for other media types. */
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
    // Described only when the document is requested: doing it here would slow down every start.
    "x-errors": errors,
  };
  return detail;
}

/** Adds the response of a route that serves parts of a file (see `fileAnswer`). */
export function withRanges(detail: DocumentDecoration): DocumentDecoration {
  const responses = detail.responses as Record<string, { content: object }>;
  const part = { description: "The range in the Range header.", content: responses["200"]!.content };
  return { ...detail, responses: { ...responses, 206: part } as NonNullable<DocumentDecoration["responses"]> };
}
