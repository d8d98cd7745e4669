import type { CallToolResult } from "@modelcontextprotocol/server";
import { adviceOn, type Refusal } from "./advice.ts";
import { maxAnswerLength, pageOf } from "./page.ts";
import type { Tool } from "./tools.ts";

/** For an exported file: about 50,000 tokens. */
const maxFileLength = 200_000;
/** About two minutes of speech as M4A, half a minute as WAV. */
const maxSoundBytes = 2 * 2 ** 20;

/**
 * Converts a response of the API into the result of a tool, preceded by `note`. `named` replaces routes with names of
 * tools.
 */
export async function resultOf(
  tool: Tool,
  response: Response,
  named: (text: string) => string,
  note: string,
): Promise<CallToolResult> {
  const mediaType = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (!response.ok) return refused(tool, (await response.json()) as Refusal, named);
  if (mediaType.startsWith("audio/")) return await sound(response, mediaType);
  if (mediaType !== "application/json") return await file(response);
  const { success: _, ...body } = (await response.json()) as Record<string, unknown>;
  const etag = response.headers.get("etag");
  const whole = { ...body, ...(etag !== null && { etag }) };
  const page = pageOf(tool, whole);
  if (page.body === null) return cut(whole, named, note);
  const before = response.headers.has("idempotent-replayed") ? replayNote : repeatNote(body);
  return answered(page.body, named, [note || before, page.note].filter(Boolean).join("\n"));
}

/** Returns the result as structured content, and as text without null values. */
export function answered(
  structuredContent: Record<string, unknown>,
  named: (text: string) => string,
  note: string,
): CallToolResult {
  return { content: [{ type: "text", text: textOf(structuredContent, named, note) }], structuredContent };
}

/**
 * For a result that is too long and not a list: the start of its text, without structured content, which would be just
 * as long.
 */
function cut(body: Record<string, unknown>, named: (text: string) => string, note: string): CallToolResult {
  return {
    content: [{ type: "text", text: shortened(textOf(body, named, note)) }],
    structuredContent: { isComplete: false },
  };
}

function textOf(body: Record<string, unknown>, named: (text: string) => string, note: string): string {
  const { message, data, ...rest } = body;
  const shown = data === undefined ? rest : Object.keys(rest).length === 0 ? data : { data, ...rest };
  const json = named(compact(shown));
  return [note, typeof message === "string" ? named(message) : "", json === "{}" ? "" : json]
    .filter(Boolean)
    .join("\n");
}

/** Renders an error that a model can act on: what is wrong, where, and what to do next. */
export function refused(tool: Tool, refusal: Refusal, named: (text: string) => string): CallToolResult {
  const { code, message, error, details } = refusal;
  const sentence = message ?? (typeof error === "string" ? error : "The server rejected this.");
  const problems = details?.errors ?? [];
  const lines = [
    `${code ?? "ERROR"}: ${sentence}`,
    // A single problem is already in the message.
    ...(problems.length > 1 ? problems.map(({ path, message: text }) => `- ${path || "arguments"}: ${text}`) : []),
    adviceOn(tool, refusal),
  ];
  return {
    isError: true,
    content: [{ type: "text", text: shortened(named(lines.join("\n"))) }],
    structuredContent: { ...refusal },
  };
}

const replayNote =
  "This call was already carried out with the same idempotencyKey and was not repeated. This is its outcome.";

/** Keeps a model from mistaking a repetition for a new action, or from retrying. */
function repeatNote({ data }: Record<string, unknown>): string {
  const { isNew, jobId } = (data ?? {}) as { isNew?: unknown; jobId?: unknown };
  return isNew === false && typeof jobId === "string"
    ? `Do not retry: the same action is already scheduled as job ${jobId}.`
    : "";
}

function compact(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).filter(([, field]) => field !== null))
      : part,
  );
}

function shortened(text: string): string {
  return text.length <= maxAnswerLength
    ? text
    : `${text.slice(0, maxAnswerLength)}\n… truncated. Request less, with a smaller limit or narrower filters.`;
}

async function file(response: Response): Promise<CallToolResult> {
  const { bytes, isComplete } = await read(response, maxFileLength);
  const text = new TextDecoder().decode(bytes);
  // Keeps whole lines only.
  const content = isComplete ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  const more = isComplete ? "" : "\n… truncated. Narrow it with filters, or ask a person to export everything.";
  return { content: [{ type: "text", text: content + more }], structuredContent: { content, isComplete } };
}

async function sound(response: Response, mimeType: string): Promise<CallToolResult> {
  const { bytes, isComplete } = await read(response, maxSoundBytes);
  const engine = response.headers.get("x-voice-engine");
  const about = { mediaType: mimeType, bytes: bytes.length, engine, isSynthetic: true };
  if (!isComplete)
    return {
      isError: true,
      content: [{ type: "text", text: "The audio is too long. Use a shorter text, or the format m4a." }],
    };
  return {
    content: [
      { type: "text", text: `Synthetic speech by ${engine}: ${bytes.length} bytes of ${mimeType}.` },
      { type: "audio", data: bytes.toString("base64"), mimeType },
    ],
    structuredContent: about,
  };
}

/** Reads the first `maxBytes` of a body, without waiting for the rest. */
async function read(response: Response, maxBytes: number): Promise<{ bytes: Buffer; isComplete: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isComplete: size <= maxBytes };
}
