/** The body of a request, with its media type unless the form implies it. */
export type HttpBody =
  | { json: unknown }
  | { form: Readonly<Record<string, string>> }
  | { multipart: FormData }
  | { bytes: Uint8Array | string; type: string }
  /** Read once, in constant memory. Sent in chunks if `length` is unknown. */
  | { stream: AsyncIterable<Uint8Array>; type: string; length?: number };

export type Payload = { headers: Record<string, string>; content: Uint8Array | AsyncIterable<Uint8Array> | null };

/** Encodes the body and returns it with the headers that describe it. */
export function payloadOf(body: HttpBody | undefined): Payload {
  if (body === undefined) return { headers: {}, content: null };
  if ("json" in body) return bytes(JSON.stringify(body.json), "application/json");
  if ("form" in body)
    return bytes(new URLSearchParams(body.form).toString(), "application/x-www-form-urlencoded;charset=UTF-8");
  if ("multipart" in body) return multipart(body.multipart);
  if ("bytes" in body) return bytes(body.bytes, body.type);
  const { stream, type, length } = body;
  const framing: Record<string, string> =
    length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": `${length}` };
  return { headers: { "content-type": type, ...framing }, content: stream };
}

function bytes(content: Uint8Array | string, type: string): Payload {
  const encoded = typeof content === "string" ? Buffer.from(content) : content;
  return { headers: { "content-type": type, "content-length": `${encoded.byteLength}` }, content: encoded };
}

/** Bun writes the parts, including files from disk, as a stream. */
function multipart(form: FormData): Payload {
  const { headers, body } = new Response(form);
  const type = headers.get("content-type") ?? "multipart/form-data";
  return { headers: { "content-type": type, "transfer-encoding": "chunked" }, content: body };
}
