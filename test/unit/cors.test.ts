import { expect, test } from "bun:test";
import { corsHeaders, preflight } from "../../src/platform/http/cors.ts";

const page = "https://app.example";

test("a listed origin may read the answer, with the headers of this interface, and without credentials", () => {
  const headers = corsHeaders(requestFrom(page), ["https://other.example", page]);
  expect(headers).toMatchObject({ "access-control-allow-origin": page, vary: "origin" });
  expect(headers["access-control-expose-headers"]).toContain("retry-after");
  expect(headers["access-control-expose-headers"]).toContain("x-request-id");
  expect(headers).not.toHaveProperty("access-control-allow-credentials");
});

test("another origin may not, and caches keep the answers apart", () => {
  expect(corsHeaders(requestFrom(page), ["https://other.example"])).toEqual({ vary: "origin" });
});

test.each([
  "https://app.example.evil.test",
  "http://app.example",
  "https://app.example:8443",
  "null",
  "HTTPS://APP.EXAMPLE",
])("%s is another origin", (origin) => {
  expect(corsHeaders(requestFrom(origin), [page])).not.toHaveProperty("access-control-allow-origin");
});

test("with a star every origin may", () => {
  expect(corsHeaders(requestFrom(page), ["*"])["access-control-allow-origin"]).toBe("*");
});

test("a request without an origin, and a service without any, get no headers", () => {
  expect(corsHeaders(requestFrom(null), [page, "*"])).toEqual({});
  expect(corsHeaders(requestFrom(page), [])).toEqual({});
});

test("a preflight request of a listed origin is told what it may send", () => {
  const answer = preflight(preflightFrom(page), [page]);
  expect(answer?.status).toBe(204);
  expect(answer?.headers.get("access-control-allow-origin")).toBe(page);
  expect(answer?.headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
  expect(answer?.headers.get("access-control-allow-headers")?.split(", ")).toContain("x-api-key");
  expect(Number(answer?.headers.get("access-control-max-age"))).toBeGreaterThan(0);
});

test("a preflight request of another origin is refused", () => {
  const answer = preflight(preflightFrom(page), ["https://other.example"]);
  expect(answer?.status).toBe(403);
  expect(answer?.headers.get("access-control-allow-origin")).toBeNull();
  expect(preflight(preflightFrom(page), [])?.status).toBe(403);
});

test.each([
  ["OPTIONS without a wanted method", "OPTIONS", {}],
  ["another method", "POST", { "access-control-request-method": "POST" }],
])("%s is no preflight request", (_what, method, headers) => {
  expect(
    preflight(new Request("http://localhost/", { method, headers: { origin: page, ...headers } }), [page]),
  ).toBeNull();
});

function requestFrom(origin: string | null): Request {
  return new Request("http://localhost/", { headers: origin === null ? {} : { origin } });
}

function preflightFrom(origin: string): Request {
  return new Request("http://localhost/", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "PUT" },
  });
}
