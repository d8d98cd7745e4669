import type { FieldError } from "../base/errors.ts";

/** Adds `warnings` to a response that is a JSON object; returns any other response unchanged. */
export function withWarnings(warnings: readonly FieldError[], response: unknown): unknown {
  if (response instanceof Response) return streamWithWarnings(response, warnings);
  const isObject =
    typeof response === "object" && response !== null && Object.getPrototypeOf(response) === Object.prototype;
  return isObject ? { ...response, warnings } : response;
}

/** A stream is not buffered; only its last brace is delayed, to insert the warnings before it. */
function streamWithWarnings(response: Response, warnings: readonly FieldError[]): Response {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (!isJson || response.status !== 200 || response.body === null) return response;
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
