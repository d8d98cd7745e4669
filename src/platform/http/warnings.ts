import type { FieldError } from "../base/errors.ts";

const warningsOf = new WeakMap<Request, FieldError[]>();

/** Lets the answer to this request report what was ignored, each path once. */
export function warn(request: Request, ignored: readonly FieldError[]): void {
  if (ignored.length === 0) return;
  const known = warningsOf.get(request) ?? [];
  const added = ignored.filter(({ path }) => known.every((warning) => warning.path !== path));
  const warnings = added.map(({ path, message }) => ({ path, message: `Ignored. ${message}` }));
  warningsOf.set(request, [...known, ...warnings]);
}

/** The answer with `warnings`; undefined when there are none, or the answer is not a JSON object. */
export function withWarnings(request: Request, answer: unknown): object | undefined {
  const warnings = warningsOf.get(request);
  if (warnings === undefined) return undefined;
  if (answer instanceof Response) return streamWithWarnings(answer, warnings);
  const isObject = typeof answer === "object" && answer !== null && Object.getPrototypeOf(answer) === Object.prototype;
  return isObject ? { ...answer, warnings } : undefined;
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
