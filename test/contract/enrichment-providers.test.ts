import { describe, expect, test } from "bun:test";
import { allFields } from "../../src/features/enrichment/fields.ts";
import type { Subject } from "../../src/features/enrichment/model.ts";
import type { LookUpOutcome } from "../../src/features/enrichment/provider.ts";
import { createHttpVendor, readVendorMappings } from "../../src/adapters/providers/enrichment/http-vendor.ts";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { FakeClock } from "../support/clock.ts";
import { nobody, startVendor, vendorKey, vendors, type Vendor } from "../support/vendors.ts";

const context = { workspaceId: "u", leadId: null, wanted: new Set(allFields) };

async function arrange(vendor: Vendor, key = vendorKey) {
  const server = startVendor(vendor);
  const clock = new FakeClock();
  const http = createHttpClient({ clock, allowPrivate: ["127.0.0.1"] });
  const provider = vendor.create({ http, clock }, server.url, key);
  const lookUp = async (subject: Partial<Subject>, signal = new AbortController().signal) => {
    const asking = provider.lookUp({ ...nobody, ...subject }, { ...context, signal });
    let isDone = false;
    void asking.finally(() => (isDone = true));
    // Vendors that work for a while are asked again after a pause, which only the clock ends.
    for (let turn = 0; turn < 2000 && !isDone; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn > 100 && turn % 100 === 0) clock.advance(3_000);
    }
    return asking;
  };
  return { server, clock, provider, lookUp };
}

describe.each(vendors)("the adapter of $name", (vendor) => {
  const { known, unknown } = vendor;

  test("says what the vendor says of a person, and what it took", async () => {
    const { server, provider, lookUp } = await arrange(vendor);
    await using _ = server;
    expect(provider.name).toBe(vendor.name);
    expect(provider.fieldsFor(nobody)).toEqual([]);
    const outcome = await lookUp(known.subject);
    expect(outcome).toMatchObject({ kind: "found", spent: known.spent });
    const findings = outcome.kind === "found" ? outcome.findings : [];
    const byField = (list: typeof findings) => list.toSorted((a, b) => a.field.localeCompare(b.field));
    expect(byField(findings)).toEqual(byField(known.findings));
    const brings = provider.fieldsFor({ ...nobody, ...known.subject });
    for (const { field } of findings) expect([...brings, "firstName", "lastName"] as string[]).toContain(field);
    for (const field of brings) expect(provider.fields).toContain(field);
  });

  test("says that it knows nobody, which is free", async () => {
    const { server, lookUp } = await arrange(vendor);
    await using _ = server;
    expect(await lookUp(unknown)).toEqual({ kind: "none", spent: 0 });
  });

  test("tells that a key is not accepted", async () => {
    if (vendor.refusesWithoutKey === null) return;
    const { server, lookUp } = await arrange(vendor, "wrong-key");
    await using _ = server;
    expect(await lookUp(known.subject)).toMatchObject({ kind: "exhausted" });
  });

  test("pauses as long as the vendor asks it to", async () => {
    const { server, clock, lookUp } = await arrange(vendor);
    await using _ = server;
    server.answerWith(vendor.limited);
    const at = clock.now();
    expect(await lookUp(known.subject)).toMatchObject({ kind: "paused", until: vendor.limitedUntil(at) });
  });

  test("tells that the account is used up", async () => {
    if (vendor.usedUp === null) return;
    const { server, lookUp } = await arrange(vendor);
    await using _ = server;
    server.answerWith(vendor.usedUp);
    expect(await lookUp(known.subject)).toMatchObject({ kind: "exhausted" });
  });

  test("takes an answer that is about this person only for a miss", async () => {
    const { server, lookUp } = await arrange(vendor);
    await using _ = server;
    server.answerWith(() => Response.json({ error: "bad parameters" }, { status: 400 }));
    expect(await lookUp(known.subject)).toEqual({ kind: "none", spent: 0 });
  });

  test.each<[string, () => Response]>([
    ["has a fault", () => Response.json({}, { status: 500 })],
    [
      "sends an error page",
      () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html" } }),
    ],
    [
      "says that a page is the answer",
      () => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } }),
    ],
    [
      "lies that a page is JSON",
      () => new Response("<h1>Hello</h1>", { headers: { "content-type": "application/json" } }),
    ],
    ["lies that JSON is an image", () => new Response("{}", { headers: { "content-type": "image/png" } })],
    [
      "sends JSON that is nested too deep",
      () => new Response("[".repeat(100_000), { headers: { "content-type": "application/json" } }),
    ],
    ["redirects to this machine", () => Response.redirect("http://127.0.0.1:1/", 302)],
    ["sends 200 MB", () => new Response(endless(), { headers: { "content-type": "application/json" } })],
  ])("fails without harm when the vendor %s", async (_name, answer) => {
    const { server, lookUp } = await arrange(vendor);
    await using _ = server;
    server.answerWith(answer);
    expect(await lookUp(known.subject)).toMatchObject({ kind: "failed", reason: expect.any(String) });
    expect(server.requests).toBe(1);
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["nothing", null],
    ["a number", 5],
    ["everything of another type", { status: [], data: 7, person: "x", items: {}, enrichment_id: {}, is_reachable: 1 }],
  ])("never throws when the vendor answers %s", async (_name, body) => {
    const { server, lookUp } = await arrange(vendor);
    await using _ = server;
    server.answerWith(() => Response.json(body));
    expect(["none", "failed", "found"]).toContain((await lookUp(known.subject)).kind);
  });

  test("gives up when it is told to", async () => {
    const { server, provider } = await arrange(vendor);
    await using _ = server;
    server.answerWith(() => new Promise<Response>(() => {}));
    const stop = new AbortController();
    const arrived = server.nextRequest();
    const asking = provider.lookUp({ ...nobody, ...known.subject }, { ...context, signal: stop.signal });
    await arrived;
    stop.abort();
    expect(await asking).toEqual({ kind: "failed", reason: "Timed out" });
  });
});

/** Nobody is asked. */
const unreachable = { http: createHttpClient({ clock: new FakeClock() }), clock: new FakeClock() };
const vendorOf = (name: string): Vendor => vendors.find((vendor) => vendor.name === name)!;

describe("in particular", () => {
  test("Hunter verifies an address that is known, at half a credit", async () => {
    const { server, lookUp } = await arrange(vendorOf("hunter"));
    await using _ = server;
    const verdict = (email: string, confidence: number): LookUpOutcome => ({
      kind: "found",
      findings: [{ field: "email", value: email, confidence, verifies: true }],
      spent: 0.5,
    });
    expect(await lookUp({ email: "ada@analytical.example" })).toEqual(verdict("ada@analytical.example", 0.97));
    expect(await lookUp({ email: "x@analytical.example" })).toEqual(verdict("x@analytical.example", 0));
  });

  test("Hunter finds whom it can find, and verifies a guess only where it can't", async () => {
    const { server, lookUp } = await arrange(vendorOf("hunter"));
    await using _ = server;
    const candidateEmail = "ada.lovelace@analytical.example";
    expect(await lookUp({ ...vendorOf("hunter").known.subject, candidateEmail })).toMatchObject({ spent: 1 });
    expect(await lookUp({ candidateEmail })).toMatchObject({ spent: 0.5, findings: [{ value: candidateEmail }] });
  });

  test("Hunter brings nothing but a verdict about somebody whose address is known, or who can't be found", () => {
    const hunter = vendorOf("hunter").create(unreachable, "http://x.example", "key");
    const { subject } = vendorOf("hunter").known;
    const email = "ada@analytical.example";
    expect(hunter.fieldsFor({ ...nobody, ...subject })).toContain("title");
    expect(hunter.fieldsFor({ ...nobody, ...subject, candidateEmail: email })).toContain("title");
    expect(hunter.fieldsFor({ ...nobody, ...subject, email })).toEqual(["email"]);
    expect(hunter.fieldsFor({ ...nobody, candidateEmail: email })).toEqual(["email"]);
  });

  test.each([
    ["valid", 0.97],
    ["accept_all", 0.92],
    ["unknown", 0.92],
    ["disposable", 0.1],
    ["invalid", 0],
  ])("an address that Hunter finds and calls %s is %f sure", async (status, confidence) => {
    const { server, lookUp } = await arrange(vendorOf("hunter"));
    await using _ = server;
    const email = "ada@analytical.example";
    server.answerWith(() => Response.json({ data: { email, score: 92, verification: { status } } }));
    const outcome = await lookUp(vendorOf("hunter").known.subject);
    // A verdict against it holds against whoever else brings it.
    expect(outcome).toMatchObject({ findings: [{ field: "email", value: email, confidence }] });
    expect(outcome.kind === "found" && "verifies" in outcome.findings[0]!).toBe(confidence <= 0.1);
  });

  test("who has found out that an address is wrong looks for another, and verifies that one", () => {
    const subject = { ...nobody, ...vendorOf("hunter").known.subject, email: "x@analytical.example" };
    const known = { ...subject, emailIsRefuted: true };
    const of = (name: string) => vendorOf(name).create(unreachable, "http://x.example", "key");
    expect(of("hunter").verifies?.(subject)).toBe(subject.email);
    expect(of("hunter").verifies?.(known)).toBeNull();
    expect(of("hunter").fieldsFor(known)).toContain("title");
    expect(of("reacher").fieldsFor(known)).toEqual([]);
    expect(of("reacher").verifies?.({ ...known, candidateEmail: "y@b.co" })).toBe("y@b.co");
    expect(of("fullenrich").fieldsFor(known)).toEqual(["email"]);
  });

  test("a vendor of one's own that brings nothing but an address verifies the one that it is asked by", async () => {
    const acme: Vendor = {
      ...vendorOf("acme"),
      create: (world, url) =>
        createHttpVendor(
          world,
          readVendorMappings(`[[vendor]]
name = "check"
url = "${url}/verify?mail={email}"
needs = ["email", "firstName+lastName+domain"]
confidence = "score"
[vendor.fields]
email = "mail"`)[0]!,
          null,
        ),
    };
    const { server, provider, lookUp } = await arrange(acme);
    await using _ = server;
    const { subject } = vendorOf("hunter").known;
    server.answerWith(() => Response.json({ mail: "A@b.co", score: 0 }));
    const said = { field: "email", value: "A@b.co", confidence: 0 };
    expect(await lookUp({ email: "a@b.co" })).toMatchObject({ findings: [{ ...said, verifies: true }] });
    expect(provider.verifies?.({ ...nobody, email: "a@b.co" })).toBe("a@b.co");
    // It found this one, or says another than it was asked about.
    for (const other of [subject, { email: "x@b.co" }]) {
      const outcome = await lookUp(other);
      expect(outcome).toMatchObject({ findings: [said] });
      expect(outcome.kind === "found" && "verifies" in outcome.findings[0]!).toBe(false);
    }
    expect(provider.verifies?.({ ...nobody, ...subject })).toBeNull();
    // So it does with a guess, where there is no other way to ask it, and with an address that a mail link holds.
    let asked = "";
    server.answerWith(({ url }) => {
      asked = new URL(url).search;
      return Response.json({ mail: "mailto:a@b.co", score: 0 });
    });
    expect(provider.verifies?.({ ...nobody, candidateEmail: "a@b.co" })).toBe("a@b.co");
    expect(await lookUp({ candidateEmail: "a@b.co" })).toMatchObject({ findings: [{ confidence: 0, verifies: true }] });
    expect(asked).toBe("?mail=a%40b.co");
    // An address that is wrong is not verified again; by the name it may know another one.
    const wrong = { ...nobody, email: "x@b.co", emailIsRefuted: true };
    expect(provider.fieldsFor(wrong)).toEqual([]);
    expect(provider.fieldsFor({ ...wrong, ...subject })).toEqual(["email"]);
    expect(provider.verifies?.({ ...wrong, ...subject })).toBeNull();
  });

  test("Hunter takes half a credit for a verification and one for an address", () => {
    const { spends } = vendorOf("hunter").create(unreachable, "http://x.example", "key");
    if (typeof spends !== "object") throw new Error("Expected a cost of each question");
    expect(spends.minimum).toBe(0.5);
    expect(spends.on({ ...nobody, email: "a@b.co" })).toBe(0.5);
    expect(spends.on({ ...nobody, candidateEmail: "a@b.co" })).toBe(0.5);
    expect(spends.on({ ...nobody, ...vendorOf("hunter").known.subject })).toBe(1);
  });

  test.each<[string, Partial<Subject>, string[]]>([
    ["an address where none is known", {}, ["contact.work_emails"]],
    ["an address where none is sure", { candidateEmail: "a@b.co" }, ["contact.work_emails"]],
    ["an address where the known one is wrong", { email: "a@b.co", emailIsRefuted: true }, ["contact.work_emails"]],
    ["no address where one is known", { email: "a@b.co" }, []],
  ])("FullEnrich is asked for %s", async (_name, known, fields) => {
    const { server, lookUp } = await arrange(vendorOf("fullenrich"));
    await using _ = server;
    const asked: unknown[] = [];
    server.answerWith(async (request) => {
      if (request.method === "POST") asked.push(await request.json());
      return Response.json({ enrichment_id: "1", status: "FINISHED" });
    });
    const networkUrl = "https://network.example/in/ada";
    await lookUp({ ...vendorOf("fullenrich").known.subject, networkUrl, ...known });
    expect(asked).toMatchObject([{ data: [{ linkedin_url: networkUrl, enrich_fields: fields }] }]);
  });

  test.each(["INVALID", "INVALID_DOMAIN"])("FullEnrich that calls an address %s refutes it", async (status) => {
    const { server, lookUp } = await arrange(vendorOf("fullenrich"));
    await using _ = server;
    const email = "ada@analytical.example";
    const data = [{ contact_info: { most_probable_work_email: { email, status } } }];
    const finished = { status: "FINISHED", cost: { credits: 0 }, data };
    server.answerWith(({ method }) => Response.json(method === "POST" ? { enrichment_id: "1" } : finished));
    expect(await lookUp(vendorOf("fullenrich").known.subject)).toMatchObject({
      findings: [{ field: "email", value: email, confidence: 0, verifies: true }],
    });
  });

  test("Hunter is asked again while it is still working", async () => {
    const hunter = vendorOf("hunter");
    const { server, lookUp } = await arrange(hunter);
    await using _ = server;
    server.answerWith((request) =>
      server.requests < 3 ? Response.json({}, { status: 202 }) : hunter.answer(request, new URL(request.url)),
    );
    expect(await lookUp(hunter.known.subject)).toMatchObject({ kind: "found" });
    expect(server.requests).toBe(3);
  });

  test.each<[string, object, number]>([
    ["an address that is refused", { is_reachable: "invalid" }, 0],
    ["a server that takes mail for everybody", { is_reachable: "safe", smtp: { is_catch_all: true } }, 0.6],
    ["a domain without mail", { is_reachable: "unknown", mx: { accepts_mail: false } }, 0],
    ["an address for a day", { is_reachable: "safe", misc: { is_disposable: true } }, 0.1],
  ])("Reacher is not sure of %s", async (_name, body, confidence) => {
    const { server, lookUp } = await arrange(vendorOf("reacher"));
    await using _ = server;
    server.answerWith(() => Response.json(body));
    expect(await lookUp({ email: "a@b.co" })).toMatchObject({ findings: [{ confidence }] });
  });

  test.each<[string, object, number]>([
    [
      "own",
      { phone_numbers: [{ sanitized_number: "+1" }], organization: { primary_phone: { sanitized_number: "+2" } } },
      0.85,
    ],
    ["company's", { organization: { primary_phone: { sanitized_number: "+1" } } }, 0.5],
  ])("Apollo is as sure of a person's %s number as it can be", async (_name, person, confidence) => {
    const { server, lookUp } = await arrange(vendorOf("apollo"));
    await using _ = server;
    server.answerWith(() => Response.json({ person }));
    const outcome = await lookUp(vendorOf("apollo").known.subject);
    const phones = outcome.kind === "found" ? outcome.findings.filter(({ field }) => field === "phone") : [];
    expect(phones).toEqual([{ field: "phone", value: "+1", confidence }]);
  });

  test("an address that Apollo does not show is none", async () => {
    const { server, lookUp } = await arrange(vendorOf("apollo"));
    await using _ = server;
    const person = { first_name: "Ada", email: "email_not_unlocked@domain.com", email_status: "unavailable" };
    server.answerWith(() => Response.json({ person }));
    expect(await lookUp(vendorOf("apollo").known.subject)).toMatchObject({
      findings: [{ field: "firstName", value: "Ada" }],
    });
  });

  test("of several users of GitHub with one address none is meant", async () => {
    const { server, lookUp } = await arrange(vendorOf("github"));
    await using _ = server;
    server.answerWith(() => Response.json({ total_count: 2, items: [{ login: "a" }, { login: "b" }] }));
    expect(await lookUp({ email: "a@b.co" })).toEqual({ kind: "none", spent: 0 });
  });

  test("FullEnrich brings an address where none is known, and a profile where its URL is", () => {
    const fullenrich = vendorOf("fullenrich").create(unreachable, "http://x.example", "key");
    const { subject } = vendorOf("fullenrich").known;
    const networkUrl = "https://network.example/in/ada";
    const brings = (more: Partial<Subject>) => fullenrich.fieldsFor({ ...nobody, ...subject, ...more });
    expect(brings({})).toEqual(["email"]);
    expect(brings({ email: "ada@analytical.example" })).toEqual([]);
    expect(brings({ networkUrl })).toEqual([...fullenrich.fields]);
    expect(brings({ networkUrl, email: "ada@analytical.example" })).not.toContain("email");
  });

  test("FullEnrich's profile is read where it has it, without zeros for what it does not know", async () => {
    const { server, lookUp } = await arrange(vendorOf("fullenrich"));
    await using _ = server;
    const employer = {
      name: "Analytical Engines",
      website: "https://analytical.example",
      headcount: 0,
      headcount_range: "11-50",
      year_founded: 0,
      locations: { headquarters: { city: "London", region: "England", country: "United Kingdom" } },
      industry: { main_industry: "Computing" },
    };
    const profile = {
      first_name: "Ada",
      headline: "Poetical science",
      location: { country: "United Kingdom", city: "London" },
      social_profiles: { professional_network: { url: "https://network.example/in/ada" } },
      skills: ["maths"],
      employment: {
        current: { title: "CTO", company: employer },
        all: [
          { title: "CTO", company: employer, start_at: "1842-03-15T00:00:00Z" },
          { title: "Pupil", start_at: "1833-07-01T00:00:00Z", end_at: "1842-03-01T00:00:00Z" },
        ],
      },
    };
    const finished = { status: "FINISHED", cost: { credits: 1 }, data: [{ contact_info: {}, profile }] };
    server.answerWith(({ method }) => Response.json(method === "POST" ? { enrichment_id: "1" } : finished));
    const outcome = await lookUp(vendorOf("fullenrich").known.subject);
    const findings = outcome.kind === "found" ? outcome.findings : [];
    expect(Object.fromEntries(findings.map(({ field, value }) => [field, value]))).toEqual({
      firstName: "Ada",
      title: "CTO",
      location: "London, United Kingdom",
      experience: "CTO at Analytical Engines (1842–); Pupil (1833–1842)",
      skills: ["maths"],
      bio: "Poetical science",
      networkUrl: "https://network.example/in/ada",
      company: "Analytical Engines",
      "companyInfo.name": "Analytical Engines",
      "companyInfo.website": "https://analytical.example",
      "companyInfo.industry": "Computing",
      "companyInfo.size": "11-50",
      "companyInfo.headquarters": "London, England, United Kingdom",
    });
  });

  test.each([
    ["CREDITS_INSUFFICIENT", "exhausted"],
    ["RATE_LIMIT", "paused"],
    ["CANCELED", "failed"],
    ["UNKNOWN", "failed"],
  ])("FullEnrich that ends as %s is %s", async (status, kind) => {
    const { server, lookUp } = await arrange(vendorOf("fullenrich"));
    await using _ = server;
    server.answerWith(({ method }) => Response.json(method === "POST" ? { enrichment_id: "1" } : { status }));
    expect(await lookUp(vendorOf("fullenrich").known.subject)).toMatchObject({ kind });
  });
});

function endless(): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(32));
      if (sent >= 200 * 2 ** 20) controller.close();
    },
  });
}

describe("companies alone", () => {
  const company = { ...nobody, domain: "analytical.example" };
  const expected = {
    "companyInfo.name": "Analytical Engines",
    "companyInfo.website": "https://analytical.example",
    "companyInfo.industry": "computing",
    "companyInfo.founded": "1837",
  };

  test("People Data Labs is asked for the company, and tells no more than that", async () => {
    const { server, provider, lookUp } = await arrange(vendorOf("pdl"));
    await using _ = server;
    const asked: string[] = [];
    server.answerWith((request: Request) => {
      asked.push(new URL(request.url).pathname + new URL(request.url).search);
      const found = { display_name: "Analytical Engines", website: "analytical.example", industry: "computing" };
      return Response.json({ ...found, founded: 1837, likelihood: 8, employees: true });
    });
    const outcome = await lookUp(company);
    expect(asked[0]).toBe("/company/enrich?website=analytical.example&titlecase=true");
    expect(outcome).toMatchObject({ kind: "found", spent: 1 });
    expect(textsOf(outcome)).toEqual({ company: "Analytical Engines", ...expected });
    expect(provider.fieldsFor(company)).toEqual(allFields.filter((field) => field.startsWith("company")));
    await lookUp({ ...company, domain: null, company: "Analytical Engines" });
    expect(asked[1]).toBe("/company/enrich?name=Analytical+Engines&titlecase=true");
  });

  test("Apollo is asked for the organization with the domain; without one, it isn't asked", async () => {
    const { server, provider, lookUp } = await arrange(vendorOf("apollo"));
    await using _ = server;
    const asked: string[] = [];
    server.answerWith((request: Request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`);
      const organization = { name: "Analytical Engines", website_url: "analytical.example", industry: "computing" };
      const more = { founded_year: 1837, primary_phone: { sanitized_number: "+442071234567" } };
      return Response.json({ organization: { ...organization, ...more } });
    });
    const outcome = await lookUp(company);
    expect(asked).toEqual(["GET /organizations/enrich?domain=analytical.example"]);
    expect(textsOf(outcome)).toEqual({ company: "Analytical Engines", ...expected });
    expect(provider.fieldsFor({ ...company, domain: null, company: "Analytical Engines" })).toEqual([]);
    server.answerWith(() => Response.json({ organization: null }));
    expect(await lookUp(company)).toEqual({ kind: "none", spent: 0 });
  });
});

function textsOf(outcome: LookUpOutcome): Record<string, unknown> {
  return outcome.kind === "found" ? Object.fromEntries(outcome.findings.map(({ field, value }) => [field, value])) : {};
}
