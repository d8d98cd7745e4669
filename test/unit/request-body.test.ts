import { expect, test } from "bun:test";
import { mediaType, readJson as readJsonOf, refuseAnnounced } from "../../src/platform/http/input.ts";

const json = { "content-type": "application/json" };

test("a JSON body is read whole, whatever follows the content type", async () => {
  const text = JSON.stringify({ name: "Zoë 🧮" });
  expect(await readJson(post(text, { "content-type": "Application/JSON; charset=utf-8" }), 100)).toEqual({
    name: "Zoë 🧮",
  });
  expect(await readJson(post("null", json), 100)).toBeNull();
});

test("a request without a body has none, whatever its content type says", async () => {
  expect(await readJson(new Request("http://localhost/", { method: "POST", headers: json }), 100)).toBeUndefined();
  expect(await readJson(post("", { ...json, "content-length": "0" }), 100)).toBeUndefined();
});

test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
  "a body of type %j is refused",
  async (type) => {
    await expect(readJson(post("{}", { "content-type": type }), 100)).rejects.toMatchObject({
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
  },
);

test("text that is not JSON is refused, and the message says why", async () => {
  await expect(readJson(post("{", json), 100)).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    message: expect.stringContaining("not valid JSON"),
  });
});

test("a body may be as long as the limit, and no byte longer", async () => {
  const text = `"${"é".repeat(49)}"`;
  for (const body of [post(text, { ...json, "content-length": "100" }), streamed([text])])
    expect(await readJson(body, 100)).toHaveLength(49);
  for (const body of [post(text, { ...json, "content-length": "100" }), streamed([text])])
    await expect(readJson(body, 99)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", details: { maxBytes: 99 } });
});

test("a body without an announced length is refused as soon as too much has arrived, and read no further", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(1000));
    },
  });
  const request = new Request("http://localhost/", { method: "POST", headers: json, body: endless });
  await expect(readJson(request, 10_000)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  expect(sent).toBeLessThan(100);
});

test("a letter that is cut in two by the arrival of the chunks stays whole", async () => {
  const bytes = new TextEncoder().encode('"é"');
  expect(await readJson(streamed([bytes.slice(0, 2), bytes.slice(2)]), 100)).toBe("é");
});

test("an announced length above the limit is refused before anything is read", () => {
  const request = post("{}", { ...json, "content-length": "1001" });
  expect(() => refuseAnnounced(request, 1000)).toThrow("larger than 1000 bytes");
  expect(() => refuseAnnounced(request, 1001)).not.toThrow();
});

test("the media type has no parameters and is in lower case", () => {
  expect(mediaType(post("", { "content-type": " Text/CSV ; header=present" }))).toBe("text/csv");
  expect(mediaType(new Request("http://localhost/"))).toBe("");
});

function post(body: string, headers: Record<string, string>): Request {
  return new Request("http://localhost/", { method: "POST", headers, body });
}

const readJson = (request: Request, maxBytes: number) => readJsonOf({ request, secret: null, keyed: null }, maxBytes);

/** A body without an announced length. */
function streamed(chunks: (string | Uint8Array)[]): Request {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
  return new Request("http://localhost/", { method: "POST", headers: json, body });
}
