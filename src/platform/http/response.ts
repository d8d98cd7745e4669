import type { FieldError } from "../base/errors.ts";

/** A result with `warnings`, if there are any and it is a JSON object; else as it is. */
export function withWarnings(value: unknown, warnings: FieldError[]): unknown {
  if (warnings.length === 0) return value;
  if (value instanceof Response) return streamWithWarnings(value, warnings) ?? value;
  const isObject = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isObject ? { ...value, warnings } : value;
}

/** A stream of JSON cannot be read back; its last brace is held back for the warnings. */
function streamWithWarnings(response: Response, warnings: FieldError[]): Response | undefined {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (!isJson || response.status !== 200 || response.body === null) return undefined;
  const brace = "}".charCodeAt(0);
  const encoder = new TextEncoder();
  let held: Uint8Array = new Uint8Array(0);
  const appending = new TransformStream<Uint8Array | string, Uint8Array>({
    transform(piece, controller) {
      const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
      const end = bytes.lastIndexOf(brace);
      if (end === -1) {
        if (held.length === 0) controller.enqueue(bytes);
        else held = new Uint8Array([...held, ...bytes]);
        return;
      }
      controller.enqueue(held);
      controller.enqueue(bytes.slice(0, end));
      held = bytes.slice(end);
    },
    flush(controller) {
      const rest = new TextDecoder().decode(held);
      controller.enqueue(encoder.encode(`,"warnings":${JSON.stringify(warnings)}${rest}`));
    },
  });
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(response.body.pipeThrough(appending), { status: 200, headers });
}

/** The body of success on most routes (specification, "What the service does"). */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

/** A strong ETag (RFC 9110, section 8.8.3) of a thing that counts its changes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** The versions that If-Match names, strong tags only; null when any will do (absent or `*`). */
export function versionsIn(ifMatch: string | undefined): number[] | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  return ifMatch.split(",").flatMap((tag) => {
    const [, version] = /^"(\d+)"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/** True when If-None-Match names the version that there is, so that 304 is the answer. */
export function isUnchanged(ifNoneMatch: string | undefined, version: number): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etagOf(version));
}
