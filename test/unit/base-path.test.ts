import { expect, test } from "bun:test";
import { Glob } from "bun";
import { join } from "node:path";
import { publicServerUrl } from "../../src/app/config/values.ts";
import { basePathOf } from "../../src/platform/base/base-path.ts";
import { withoutBasePath } from "../../src/platform/http/below-base-path.ts";
import { SessionCookies } from "../../src/platform/http/session-cookie.ts";

test("the base path is the path of the public URL", () => {
  expect(basePathOf(null)).toBe("");
  expect(basePathOf("https://example.com")).toBe("");
  expect(basePathOf("https://example.com/a/b")).toBe("/a/b");
});

test.each([
  ["http://h/outreach/app?x=/outreach/", "http://h/app?x=/outreach/"],
  ["http://h/outreach", "http://h/"],
  ["http://h/outreach?x=1", "http://h/?x=1"],
  ["http://h/outreachd/app", "http://h/outreachd/app"],
  ["http://h/app/outreach/x", "http://h/app/outreach/x"],
])("%s becomes %s", (url, expected) => {
  expect(withoutBasePath(new Request(url), "/outreach").url).toBe(expected);
});

test("a public URL with a path that could be one of the server's own, or that needs quoting, is refused", () => {
  expect(publicServerUrl("https://example.com/out-reach_1/~x/")).toBe("https://example.com/out-reach_1/~x");
  for (const path of ["/app", "/api/x", "/docs/"])
    expect(() => publicServerUrl(`https://h${path}`)).toThrow("of the server itself");
  for (const path of ["/a'b", "/a%20b", "/a b", "//a"])
    expect(() => publicServerUrl(`https://h${path}`)).toThrow("Expected a path");
});

test("cookies below a path are sent only there", () => {
  const [root, below] = ["https://h", "https://h/outreach"].map((url) => new SessionCookies("a1", url));
  expect(root!.header("t", 1, true)).toStartWith("__Host-outreachd_session_a1=t; Path=/; ");
  expect(below!.header("t", 1, true)).toStartWith("__Secure-outreachd_session_a1=t; Path=/outreach/; ");
  expect(below!.header("t", 1, false)).toStartWith("outreachd_session_a1=t; Path=/outreach/; ");
});

test("no page of the dashboard assumes that the server has a host of its own", async () => {
  const folder = join(import.meta.dir, "../../src/surfaces/dashboard/app");
  const found: string[] = [];
  for await (const name of new Glob("**/*.{ts,tsx}").scan(folder)) {
    const text = await Bun.file(join(folder, name)).text();
    // An attribute or a navigation with a path from the root. api.ts adds the base path to what it sends.
    const urls = text.match(
      /(?:href|src|action)="\/[^"]*"|location\.(?:assign|replace)\("\/|fetch\([`"]\/|open\([`"]\//g,
    );
    for (const url of urls ?? []) found.push(`${name}: ${url}`);
  }
  expect(found).toEqual([]);
});
