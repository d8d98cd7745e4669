import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startService, type Service } from "../support/service.ts";

/** The guides as the server serves them: at an address of its own, and below a path. */

const root = join(import.meta.dir, "../..");
const guides = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const names = guides.map((name) => name.replace(/\.md$/, ""));
const others = ["guides", "examples", "typescript-client", "changelog", "security", "architecture", "contributing"];

const service = await startService();
const below = await startService({ settings: { PUBLIC_URL: "https://example.com/outreach" } });
afterAll(() => Promise.all([service[Symbol.asyncDispose](), below[Symbol.asyncDispose]()]));

type Page = { status: number; type: string; policy: string; text: string };

async function get(of: Service, path: string): Promise<Page> {
  const response = await fetch(of.url + path, { redirect: "manual" });
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  return { status, type, policy: headers.get("content-security-policy") ?? "", text: await response.text() };
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`\\b${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value);
}

test.each([...names, ...others])(
  "/docs/%s is a page that contacts no other host, and is Markdown with .md",
  async (name) => {
    const page = await get(service, `/docs/${name}`);
    expect(page).toMatchObject({ status: 200, type: "text/html; charset=utf-8" });
    expect(page.policy).toContain("default-src 'none'");
    expect(page.policy).not.toContain("unsafe");
    expect(page.text).not.toMatch(/<script|\sstyle=|\son\w+=/);
    expect(page.text.match(/<h1\b/g)).toHaveLength(1);
    for (const url of [...attributes(page.text, "src"), ...attributes(page.text, "srcset")])
      expect(url).toStartWith("/");
    const markdown = await get(service, `/docs/${name}.md`);
    expect(markdown).toMatchObject({ status: 200, type: "text/markdown; charset=utf-8" });
    expect(markdown.text).toMatch(/^# /m);
  },
);

test.each([
  ["", service],
  ["/outreach", below],
])('every link of every page leads to something, anchors included; they begin with "%s"', async (path, of) => {
  const pages = new Map<string, Page>();
  const load = async (url: string) => {
    const known = pages.get(url) ?? (await get(of, url));
    pages.set(url, known);
    return known;
  };
  const broken: string[] = [];
  const waiting = [`${path}/docs/guides`];
  const seen = new Set(waiting);
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const { text, type } = await load(url);
    if (!type.startsWith("text/html") || !url.startsWith(`${path}/docs/`)) continue;
    for (const link of [...attributes(text, "href"), ...attributes(text, "src"), ...attributes(text, "srcset")]) {
      if (/^(https?|mailto):/.test(link)) continue;
      const [target = "", anchor] = link.split("#");
      if (target !== "" && !target.startsWith(`${path}/`)) broken.push(`${url}: ${link}`);
      const page = await load(target || url);
      if (page.status !== 200) broken.push(`${url}: ${link} responds with ${page.status}`);
      if (anchor !== undefined && !attributes(page.text, "id").includes(anchor))
        broken.push(`${url}: ${link}: no anchor`);
      if (target !== "" && !seen.has(target)) waiting.push(target);
      seen.add(target);
    }
  }
  expect(broken).toEqual([]);
  for (const name of [...names, ...others]) expect([...seen]).toContain(`${path}/docs/${name}`);
});

test("the Markdown of a guide links to the Markdown of others", async () => {
  for (const [path, of] of [
    ["", service],
    ["/outreach", below],
  ] as const)
    for (const name of [...names, ...others]) {
      const { text } = await get(of, `/docs/${name}.md`);
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
      for (const link of links) {
        expect(link).toStartWith(`${path}/docs/`);
        expect((await get(of, link)).status).toBe(200);
      }
    }
});

test("a page that does not exist is reported as a page with the way to all others", async () => {
  for (const path of [
    "/docs/nothing",
    "/docs/nothing.md",
    "/docs/images/nothing.png",
    "/docs/images/constructor",
    "/docs/..%2fREADME",
  ]) {
    const page = await get(service, path);
    expect(page).toMatchObject({ status: 404, type: "text/html; charset=utf-8" });
    expect(page.text).toContain('href="/docs/guides"');
  }
});

test("the API reference stays at /docs and leads to the guides", async () => {
  const page = await get(below, "/outreach/docs");
  expect(page.status).toBe(200);
  expect(attributes(page.text, "data-url")).toEqual(["/outreach/openapi.json"]);
  expect(attributes(page.text, "href")).toContain("/outreach/docs/guides");
});

test("every picture of docs/images is in a document, and is small", async () => {
  const used = new Set<string>();
  for (const name of [...names, ...others]) {
    const { text } = await get(service, `/docs/${name}`);
    for (const url of [...attributes(text, "src"), ...attributes(text, "srcset")]) used.add(url);
  }
  const pictures = readdirSync(join(root, "docs/images"));
  expect(pictures.length).toBeGreaterThan(7);
  for (const picture of pictures) {
    expect([...used]).toContain(`/docs/images/${picture}`);
    const response = await fetch(`${service.url}/docs/images/${picture}`);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect((await response.bytes()).length).toBeLessThan(200_000);
  }
});

test("llms.txt has the form of llmstxt.org and lists every guide as Markdown", async () => {
  const { status, type, text } = await get(service, "/llms.txt");
  expect({ status, type }).toEqual({ status: 200, type: "text/plain; charset=utf-8" });
  expect(text).toMatch(/^# outreachd\n\n> .+\n\n/);
  const [, ...sections] = text.split(/^## /m);
  expect(sections.map((section) => section.split("\n")[0])).toEqual(["Guides", "API", "Optional"]);
  const lines = sections.flatMap((section) => section.split("\n").slice(1).filter(Boolean));
  for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(http:\/\/127\.0\.0\.1:\d+\/\S+\)(: \S.*)?$/);
  for (const name of names) {
    const line = lines.find((each) => each.includes(`${service.url}/docs/${name}.md)`));
    // Each says what it is about, which the table of the README does.
    expect(line).toMatch(/\): \S/);
  }
  expect((await get(below, "/llms.txt")).text).toContain("(https://example.com/outreach/docs/campaigns.md)");
});
