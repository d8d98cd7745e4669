import { describe, expect, test } from "bun:test";
import { allFields } from "../../src/features/enrichment/fields.ts";
import type { HttpClient, HttpOutcome, HttpRequest } from "../../src/lib/guarded-http/http-client.ts";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { readCompanyPage } from "../../src/adapters/providers/enrichment/company-page.ts";
import { mayFetch } from "../../src/adapters/providers/enrichment/robots.ts";
import { createWeb, type MailCheck } from "../../src/adapters/providers/enrichment/web.ts";
import { FakeClock } from "../support/clock.ts";
import { nobody } from "../support/vendors.ts";

describe("robots.txt", () => {
  test.each<[string, string, string, boolean]>([
    ["no rules", "", "/", true],
    ["everything is closed", "User-agent: *\nDisallow: /", "/", false],
    ["an empty Disallow", "User-agent: *\nDisallow:", "/", true],
    ["another path is closed", "User-agent: *\nDisallow: /private", "/", true],
    ["the path is closed", "User-agent: *\nDisallow: /private", "/private/x", false],
    ["we are named", "User-agent: Outreachd\nDisallow: /\n\nUser-agent: *\nAllow: /", "/", false],
    ["others are named", "User-agent: otherbot\nDisallow: /", "/", true],
    ["we are named among several", "User-agent: a\nUser-agent: outreachd\nDisallow: /", "/", false],
    [
      "being named counts more than the rest",
      "User-agent: *\nDisallow: /\nUser-agent: outreachd\nDisallow: /x",
      "/",
      true,
    ],
    ["two groups of one name are one", "User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b", "/b", false],
    ["the longest rule decides", "User-agent: *\nDisallow: /\nAllow: /open", "/open/x", true],
    ["Allow decides among equals", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true],
    ["a star", "User-agent: *\nDisallow: /*.pdf", "/x/y.pdf?q", false],
    ["an end", "User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?q", true],
    ["the start page alone", "User-agent: *\nDisallow: /$", "/", false],
    ["the start page alone, elsewhere", "User-agent: *\nDisallow: /$", "/x", true],
    ["comments and line ends of all kinds", "# hello\r\nUser-agent: * # all\rDisallow: / # no", "/", false],
    ["a path as people write it", "User-agent: *\nDisallow: /café", "/caf%C3%A9", false],
    ["rules before any group", "Disallow: /\nUser-agent: *", "/", true],
  ])("%s", (_name, robots, path, expected) => {
    expect(mayFetch(robots, "outreachd", path)).toBe(expected);
  });

  // Tried in every combination, its stars would outlive any time limit of a test.
  test("a pattern of thousands of stars is read to its end", () => {
    const pattern = `Disallow: /${"*a".repeat(5000)}$`;
    expect(mayFetch(`User-agent: *\n${pattern}`, "outreachd", `/${"a".repeat(4000)}b`)).toBe(true);
  });
});

const page = (head: string) =>
  readCompanyPage(Buffer.from(`<!doctype html><html><head>${head}</head><body>x</body></html>`));
const empty = { name: null, description: null, industry: null, size: null, founded: null, headquarters: null };
const jsonLd = (json: unknown) => `<script type="application/ld+json">${JSON.stringify(json)}</script>`;

describe("a company's page", () => {
  test("says what it says in JSON-LD", async () => {
    const organization = {
      "@context": "https://schema.org",
      "@type": "Organization",
      name: "Acme & Söhne",
      description: "Anvils",
      foundingDate: 1949,
      numberOfEmployees: { "@type": "QuantitativeValue", minValue: 11, maxValue: 50 },
      address: { addressLocality: "Köln", addressCountry: { name: "Germany" } },
    };
    expect(await page(jsonLd({ "@graph": [{ "@type": "WebSite", name: "no" }, organization] }))).toEqual({
      name: "Acme & Söhne",
      description: "Anvils",
      industry: null,
      size: "11-50",
      founded: "1949",
      headquarters: "Köln, Germany",
    });
    expect(
      await page(
        jsonLd([{ "@type": ["LocalBusiness", "Store"], legalName: "Shop", numberOfEmployees: 7, address: "Rome" }]),
      ),
    ).toEqual({
      ...empty,
      name: "Shop",
      size: "7",
      headquarters: "Rome",
    });
  });

  test("or else in OpenGraph and meta elements, with entities resolved", async () => {
    const head = `<meta property="og:site_name" content="Acme &amp; M&uuml;ller &#x2603;"><meta name="Description" content="It&#39;s &quot;us&quot;">`;
    expect(await page(head)).toEqual({ ...empty, name: "Acme & Müller ☃", description: `It's "us"` });
  });

  test.each([
    ["nothing", ""],
    ["broken JSON", `<script type="application/ld+json">{"@type": "Organization", </script>`],
    ["JSON nested too deep", `<script type="application/ld+json">${"[".repeat(100_000)}</script>`],
    ["everything of another type", jsonLd({ "@type": "Organization", name: {}, address: [5], numberOfEmployees: "" })],
    ["a person", jsonLd({ "@type": "Person", name: "Ada" })],
    ["a page that ends in the middle", `<meta property="og:site_name" content="`],
    ["a code that is no letter", `<meta name="og:nothing" content="&#9999999;">`],
  ])("that holds %s says nothing", async (_name, head) => {
    expect(await page(head)).toEqual(empty);
  });

  test("that is no text at all says nothing", async () => {
    expect(await readCompanyPage(crypto.getRandomValues(new Uint8Array(60_000)))).toEqual(empty);
  });
});

describe("the web provider", () => {
  const html = (body: string, type = "text/html; charset=utf-8"): HttpOutcome => ({
    kind: "answered",
    status: 200,
    headers: new Headers({ "content-type": type }),
    body: Buffer.from(body),
    url: "",
  });
  const missing: HttpOutcome = {
    kind: "answered",
    status: 404,
    headers: new Headers(),
    body: new Uint8Array(),
    url: "",
  };
  const acme = html(`<meta property="og:site_name" content="Acme">`);

  /** A web of the pages that are given by URL; everything else is missing. */
  function arrange(pages: Record<string, HttpOutcome>, takesMail: MailCheck = async () => "yes") {
    const asked: string[] = [];
    const http: HttpClient = {
      send: async ({ url }: HttpRequest) => {
        asked.push(url);
        return pages[url] ?? missing;
      },
    };
    const clock = new FakeClock();
    const web = createWeb({ http, clock, takesMail });
    const lookUp = (subject: { domain?: string; email?: string }) =>
      web.lookUp(
        { ...nobody, ...subject },
        { workspaceId: "u", leadId: null, wanted: new Set(allFields), signal: new AbortController().signal },
      );
    return { asked, clock, web, lookUp };
  }

  test("says what a company says of itself, and asks it once a day", async () => {
    const { asked, clock, lookUp } = arrange({ "https://acme.example/": acme });
    const found = await Promise.all([lookUp({ domain: "acme.example" }), lookUp({ domain: "acme.example" })]);
    expect(found[0]).toEqual({
      kind: "found",
      findings: [
        { field: "company", value: "Acme", confidence: 0.75 },
        { field: "companyInfo.name", value: "Acme", confidence: 0.75 },
        { field: "companyInfo.website", value: "https://acme.example", confidence: 0.75 },
      ],
      spent: 0,
    });
    expect(found[1]).toEqual(found[0]);
    expect(asked).toEqual(["https://acme.example/robots.txt", "https://acme.example/"]);
    clock.advance(86_400_000);
    await lookUp({ domain: "acme.example" });
    expect(asked).toHaveLength(4);
  });

  test("stays out where robots.txt says so, or can't be read", async () => {
    const robots = "https://acme.example/robots.txt";
    const outcomes: HttpOutcome[] = [
      html("User-agent: *\nDisallow: /", "text/plain"),
      { ...missing, status: 503 },
      { kind: "timedOut", sent: true },
      { kind: "tooLarge", sent: true, status: 200, headers: new Headers() },
    ];
    for (const outcome of outcomes) {
      const { asked, lookUp } = arrange({ [robots]: outcome, "https://acme.example/": acme });
      expect(await lookUp({ domain: "acme.example" })).toEqual({ kind: "none", spent: 0 });
      expect(asked).toEqual([robots]);
    }
  });

  test("asks each origin that it is sent on to for its robots.txt, and heeds what that says of the page", async () => {
    const to = (location: string): HttpOutcome => ({ ...missing, status: 302, headers: new Headers({ location }) });
    const rules = html("User-agent: *\nDisallow: /private", "text/plain");
    const pages = {
      "https://acme.example/": to("/en/"),
      "https://acme.example/en/": to("https://group.example/acme"),
      "https://group.example/robots.txt": rules,
      "https://group.example/acme": acme,
    };
    const welcome = arrange(pages);
    expect(await welcome.lookUp({ domain: "acme.example" })).toMatchObject({ kind: "found" });
    const ofAcme = ["robots.txt", "", "en/"].map((path) => `https://acme.example/${path}`);
    expect(welcome.asked).toEqual([...ofAcme, "https://group.example/robots.txt", "https://group.example/acme"]);
    const forbidden = arrange({ ...pages, "https://acme.example/en/": to("https://group.example/private?a=1") });
    expect(await forbidden.lookUp({ domain: "acme.example" })).toEqual({ kind: "none", spent: 0 });
    expect(forbidden.asked).toEqual([...ofAcme, "https://group.example/robots.txt"]);
    const endless = arrange({ "https://acme.example/": to("https://acme.example/") });
    expect(await endless.lookUp({ domain: "acme.example" })).toEqual({ kind: "none", spent: 0 });
    expect(endless.asked).toHaveLength(7);
  });

  test("goes to http only where there is no https, and takes nothing but a page", async () => {
    const down: HttpOutcome = { kind: "unreachable", sent: false, reason: "refused" };
    const only = arrange({ "https://acme.example/robots.txt": down, "http://acme.example/": acme });
    expect(await only.lookUp({ domain: "acme.example" })).toMatchObject({ kind: "found" });
    const image = arrange({ "https://acme.example/": html("GIF89a", "image/gif") });
    expect(await image.lookUp({ domain: "acme.example" })).toEqual({ kind: "none", spent: 0 });
  });

  test("takes an address away where the domain takes no mail, and only then", async () => {
    const email = "ada@acme.example";
    const verdict = async (answer: Awaited<ReturnType<MailCheck>>, domain = "acme.example") => {
      const outcome = await arrange({}, async () => answer).lookUp({ email, domain });
      return outcome.kind === "found" ? outcome.findings : [];
    };
    expect(await verdict("no")).toEqual([{ field: "email", value: email, confidence: 0, verifies: true }]);
    expect(await verdict("yes")).toEqual([]);
    expect(await verdict("unknown")).toEqual([]);
    expect(await verdict("no", "other.example")).toEqual([]);
  });

  test("is of use for an address only where that is one of the domain", () => {
    const { web } = arrange({});
    const brings = (more: object) => web.fieldsFor({ ...nobody, domain: "acme.example", ...more });
    expect(brings({ candidateEmail: "ada@acme.example" })).toContain("email");
    expect(brings({})).not.toContain("email");
    expect(brings({ email: "ada@other.example" })).not.toContain("email");
    expect(web.fieldsFor({ ...nobody, email: "ada@acme.example" })).toEqual([]);
  });

  test("never gets to this machine, whatever a domain resolves to", async () => {
    let asked = 0;
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++asked)) });
    const clock = new FakeClock();
    const http = createHttpClient({ clock, resolve: async () => ["127.0.0.1"] });
    const web = createWeb({ http, clock, takesMail: async () => "unknown" });
    const context = {
      workspaceId: "u",
      leadId: null,
      wanted: new Set(allFields),
      signal: new AbortController().signal,
    };
    for (const domain of ["rebind.example", "localhost", `rebind.example:${server.port}`, "127.0.0.1"])
      expect(await web.lookUp({ ...nobody, domain }, context)).toEqual({ kind: "none", spent: 0 });
    expect(asked).toBe(0);
    await server.stop(true);
  });
});
