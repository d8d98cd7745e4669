import { createHash, createHmac } from "node:crypto";

/**
 * The part of Amazon S3 that archives and files need, on loopback, path style: PUT, GET, HEAD and DELETE of objects,
 * ranges, multipart uploads and lists (API reference 2006-03-01). Every request must be signed (AWS Signature Version
 * 4), and for the region of the bucket, or is refused.
 */
export function startS3Server({
  bucket = "backups",
  accessKeyId = "AKIDEXAMPLE",
  secretAccessKey = "s3cret",
  pageSize = 1000,
  /** Null: any. */
  region = null as string | null,
  /** As with encryption by a key of the customer: an ETag says nothing about the content. */
  hasOpaqueEtags = false,
} = {}) {
  const objects = new Map<string, Uint8Array>();
  /** Of objects that were sent to the server; not of those that a test puts there. */
  const records = new Map<string, { etag: string; modifiedAt: number }>();
  const uploads = new Map<string, { key: string; parts: Map<number, Uint8Array> }>();
  const faults: { fails(method: string, url: URL): boolean; delay(method: string, url: URL): Promise<void> } = {
    fails: () => false,
    delay: async () => {},
  };
  let lastUpload = 0;

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const body = new Uint8Array(await request.arrayBuffer());
      const response = await respond(request, url, body);
      // The response to HEAD has no body, not even to name an error.
      return request.method === "HEAD" && !response.ok ? new Response(null, { status: response.status }) : response;
    },
  });

  async function respond(request: Request, url: URL, body: Uint8Array): Promise<Response> {
    if (!isSigned(request, url, body, accessKeyId, secretAccessKey)) return refusal(403, "SignatureDoesNotMatch");
    const signedFor = /Credential=[^/]+\/\d{8}\/([^/]+)\//.exec(request.headers.get("authorization") ?? "")?.[1];
    if (region !== null && signedFor !== region) return refusal(400, "AuthorizationHeaderMalformed");
    if (faults.fails(request.method, url)) return refusal(503, "SlowDown");
    await faults.delay(request.method, url);
    const [, named, ...rest] = decodeURIComponent(url.pathname).split("/");
    if (named !== bucket) return refusal(404, "NoSuchBucket");
    return answer(request.method, rest.join("/"), url.searchParams, body, request.headers.get("range"));
  }

  function store(key: string, body: Uint8Array, md5: string): void {
    const etag = hasOpaqueEtags ? Bun.randomUUIDv7("hex").replaceAll("-", "") : md5;
    objects.set(key, body);
    records.set(key, { etag: `"${etag}"`, modifiedAt: Date.now() });
  }

  function recordOf(key: string): { etag: string; modifiedAt: number } {
    return records.get(key) ?? { etag: `"${md5Of(objects.get(key)!)}"`, modifiedAt: Date.UTC(2026, 0, 5, 10) };
  }

  function answer(
    method: string,
    key: string,
    query: URLSearchParams,
    body: Uint8Array,
    range: string | null,
  ): Response {
    const upload = uploads.get(query.get("uploadId") ?? "");
    if (query.has("uploadId") && upload?.key !== key) return refusal(404, "NoSuchUpload");
    if (method === "GET" && key === "") return list(query);
    if (method === "POST" && query.has("uploads")) {
      const id = `upload-${++lastUpload}`;
      uploads.set(id, { key, parts: new Map() });
      return xml(
        `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (method === "PUT" && upload !== undefined) {
      upload.parts.set(Number(query.get("partNumber")), body);
      return new Response(null, { headers: { etag: `"${md5Of(body)}"` } });
    }
    if (method === "POST" && upload !== undefined) {
      const numbers = [...new TextDecoder().decode(body).matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
        Number(n),
      );
      const parts = numbers.map((n) => upload.parts.get(n));
      if (parts.includes(undefined)) return refusal(400, "InvalidPart");
      const sums = (parts as Uint8Array[]).map((part) => Buffer.from(md5Of(part), "hex"));
      const whole = new Uint8Array(Buffer.concat(parts as Uint8Array[]));
      store(key, whole, `${md5Of(Buffer.concat(sums))}-${parts.length}`);
      uploads.delete(query.get("uploadId")!);
      return xml(
        `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"multipart"</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (method === "DELETE" && upload !== undefined) {
      uploads.delete(query.get("uploadId")!);
      return new Response(null, { status: 204 });
    }
    if (method === "PUT") {
      store(key, body, md5Of(body));
      return new Response(null, { headers: { etag: recordOf(key).etag } });
    }
    if (method === "DELETE") {
      objects.delete(key);
      records.delete(key);
      return new Response(null, { status: 204 });
    }
    const object = objects.get(key);
    if (object === undefined) return refusal(404, "NoSuchKey");
    const { etag, modifiedAt } = recordOf(key);
    const headers = { etag, "last-modified": new Date(modifiedAt).toUTCString() };
    if (method === "HEAD")
      return new Response(null, { headers: { ...headers, "content-length": String(object.length) } });
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (first === undefined) return new Response(object as Uint8Array<ArrayBuffer>, { headers });
    const part = object.slice(Number(first), Number(last) + 1);
    const contentRange = `bytes ${first}-${Number(first) + part.length - 1}/${object.length}`;
    return new Response(part, {
      status: 206,
      headers: { ...headers, "content-range": contentRange },
    });
  }

  function list(query: URLSearchParams): Response {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? "";
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
    const page = keys.slice(0, Math.min(pageSize, Number(query.get("max-keys") ?? pageSize)));
    const isTruncated = page.length < keys.length;
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size><ETag>${recordOf(key).etag}</ETag><LastModified>${new Date(recordOf(key).modifiedAt).toISOString()}</LastModified><StorageClass>STANDARD</StorageClass></Contents>`,
    );
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    return xml(
      `<ListBucketResult><Name>${bucket}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${pageSize}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
    );
  }

  return {
    url: server.url.origin,
    bucket,
    accessKeyId,
    secretAccessKey,
    objects,
    records,
    /** Uploads that were begun and neither completed nor aborted. */
    uploads,
    faults,
    stop: () => server.stop(true),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** AWS Signature Version 4, in the header: "Signature calculations for the Authorization header". */
function isSigned(request: Request, url: URL, body: Uint8Array, accessKeyId: string, secret: string): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = "", region = "", signedHeaders = "", signature] =
    form.exec(request.headers.get("authorization") ?? "") ?? [];
  const payload = request.headers.get("x-amz-content-sha256") ?? "";
  if (id !== accessKeyId) return false;
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== createHash("sha256").update(body).digest("hex")) return false;
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const headers = signedHeaders
    .split(";")
    .map((name) => `${name}:${request.headers.get(name)?.trim()}\n`)
    .join("");
  const canonical = [request.method, url.pathname, query, headers, signedHeaders, payload].join("\n");
  const time = request.headers.get("x-amz-date") ?? "";
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const key = ["s3", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${secret}`, day), region));
  return signature === createHmac("sha256", key).update(text).digest("hex");
}

function md5Of(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    headers: { "content-type": "application/xml" },
  });
}

function refusal(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, {
    status,
    headers: { "content-type": "application/xml" },
  });
}
