import { ApiError } from "../base/errors.ts";
import type { BlobContent } from "../blobs/model.ts";

/**
 * The response for a stored file: the whole file, or the requested range of bytes (RFC 9110, section 14). Throws
 * RANGE_NOT_SATISFIABLE.
 */
export function fileAnswer(request: Request, file: BlobContent, headers: Record<string, string>): Response {
  const { bytes } = file;
  const range = rangeIn(request.headers.get("range"), bytes);
  const { start, end } = range ?? { start: 0, end: bytes };
  const all = { ...headers, "accept-ranges": "bytes" };
  if (range === null) return new Response(file.body(start, end), { headers: all });
  return new Response(file.body(start, end), {
    status: 206,
    headers: { ...all, "content-range": `bytes ${start}-${end - 1}/${bytes}` },
  });
}

/**
 * From `start` up to `end`; null for the whole file: without Range, and for several ranges or other units, which may be
 * ignored.
 */
function rangeIn(header: string | null, size: number): { start: number; end: number } | null {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new ApiError("RANGE_NOT_SATISFIABLE", {
    details: { size },
    headers: { "content-range": `bytes */${size}` },
  });
}

/**
 * Streams bytes as they are produced, at most one piece ahead of the client. Throws what the first piece throws: its
 * response can still have another status. `onFailure` receives later errors, after which the stream ends early.
 */
export async function byteStream(
  bytes: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const pieces = bytes[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array> | null = await pieces.next();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = first ?? (await pieces.next());
        first = null;
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onFailure(error);
        throw error;
      }
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

/** Content-Disposition for an untrusted file name (RFC 6266): in ASCII for old clients, and complete in UTF-8. */
export function disposition(kind: "inline" | "attachment", fileName: string): string {
  const ascii = fileName.replace(/[^\w. ()-]/g, "_");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
