import type { Finding, Subject } from "../../src/features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../src/features/enrichment/provider.ts";
import { createApollo } from "../../src/adapters/providers/enrichment/apollo.ts";
import { createFullenrich } from "../../src/adapters/providers/enrichment/fullenrich.ts";
import { createGithub } from "../../src/adapters/providers/enrichment/github.ts";
import { createGravatar } from "../../src/adapters/providers/enrichment/gravatar.ts";
import { createHttpVendor, readVendorMappings } from "../../src/adapters/providers/enrichment/http-vendor.ts";
import { createHunter } from "../../src/adapters/providers/enrichment/hunter.ts";
import { createPdl } from "../../src/adapters/providers/enrichment/pdl.ts";
import { createReacher } from "../../src/adapters/providers/enrichment/reacher.ts";
import type { VendorWorld } from "../../src/adapters/providers/enrichment/vendor.ts";

export const vendorKey = "vendor-key";
export const nobody: Subject = {
  email: null,
  candidateEmail: null,
  networkUrl: null,
  firstName: null,
  lastName: null,
  company: null,
  domain: null,
};

/** A vendor as its documentation describes it, played by a loopback server. */
export type Vendor = {
  name: string;
  create(world: VendorWorld, url: string, key: string): EnrichmentProvider;
  /** Null: it asks for no key. */
  refusesWithoutKey: Response | null;
  answer(request: Request, url: URL): Promise<Response>;
  /** Whom it knows, what it says of that person, and what that takes of its credits. */
  known: { subject: Partial<Subject>; findings: Finding[]; spent: number };
  unknown: Partial<Subject>;
  limited: () => Response;
  /** The moment when it may be asked again, by `limited`, when it is asked at `now`. */
  limitedUntil(now: number): number;
  usedUp: (() => Response) | null;
};

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const says = (confidence: number, values: Record<string, string | string[]>): Finding[] =>
  Object.entries(values).map(([field, value]) => ({ field, value, confidence }) as Finding);

const ada = { firstName: "Ada", lastName: "Lovelace", company: "Analytical Engines", domain: "analytical.example" };
const stranger = { firstName: "Nobody", lastName: "Atall", company: "Nowhere", domain: "nowhere.example" };

const pdl: Vendor = {
  name: "pdl",
  create: (world, url, key) => createPdl(world, { url, key }),
  refusesWithoutKey: json({ status: 401, error: { type: ["authentication_error"], message: "Invalid API Key" } }, 401),
  async answer(request, { pathname, searchParams }) {
    if (request.headers.get("x-api-key") !== vendorKey) return this.refusesWithoutKey!.clone();
    if (request.method !== "GET" || pathname !== "/person/enrich") return json({}, 405);
    if (searchParams.get("email") !== "ada@analytical.example")
      return json({ status: 404, error: { type: ["not_found"], message: "No records were found" } }, 404);
    return json(
      {
        status: 200,
        likelihood: 9,
        data: {
          first_name: "Ada",
          last_name: "Lovelace",
          work_email: "ada@analytical.example",
          personal_emails: true, // not in our plan
          emails: [{ address: "al@old.example", type: "professional" }],
          mobile_phone: "+441",
          phone_numbers: ["+442"],
          linkedin_url: "linkedin.com/in/ada",
          job_title: "CTO",
          job_company_name: "Analytical Engines",
          job_company_website: "analytical.example",
          job_company_size: "11-50",
          job_company_founded: 1843,
          skills: ["maths", "poetry"],
          experience: [
            { title: { name: "CTO" }, company: { name: "Analytical Engines" }, start_date: "1842-01", end_date: null },
          ],
        },
      },
      200,
      { "x-call-credits-spent": "1" },
    );
  },
  known: {
    subject: { email: "ada@analytical.example" },
    findings: says(0.9, {
      firstName: "Ada",
      lastName: "Lovelace",
      title: "CTO",
      experience: "CTO at Analytical Engines (1842–)",
      skills: ["maths", "poetry"],
      company: "Analytical Engines",
      networkUrl: "https://linkedin.com/in/ada",
      "companyInfo.name": "Analytical Engines",
      "companyInfo.website": "https://analytical.example",
      "companyInfo.size": "11-50",
      "companyInfo.founded": "1843",
      email: "ada@analytical.example",
      alternativeEmails: ["al@old.example"],
      phone: "+441",
    }),
    spent: 1,
  },
  unknown: { email: "nobody@nowhere.example" },
  limited: () => json({ status: 429 }, 429, { "retry-after": "30" }),
  limitedUntil: (now) => now + 30_000,
  usedUp: () => json({ status: 402, error: { message: "Account maximum reached" } }, 402),
};

const hunter: Vendor = {
  name: "hunter",
  create: (world, url, key) => createHunter(world, { url, key }),
  refusesWithoutKey: json({ errors: [{ id: "authentication_failed", code: 401 }] }, 401),
  async answer(request, { pathname, searchParams }) {
    if (request.headers.get("x-api-key") !== vendorKey) return this.refusesWithoutKey!.clone();
    if (pathname === "/email-verifier") {
      const isKnown = searchParams.get("email") === "ada@analytical.example";
      return json({ data: { status: isKnown ? "valid" : "invalid", score: isKnown ? 100 : 0 } });
    }
    if (pathname !== "/email-finder") return json({}, 404);
    if (searchParams.get("domain") !== "analytical.example" || searchParams.get("last_name") !== "Lovelace")
      return json({ data: { email: null, score: null } });
    return json({
      data: {
        first_name: "Ada",
        last_name: "Lovelace",
        email: "ada@analytical.example",
        score: 92,
        domain: "analytical.example",
        position: "CTO",
        company: "Analytical Engines",
        linkedin_url: "https://www.linkedin.com/in/ada",
        phone_number: null,
        verification: { date: "2026-01-01", status: "valid" },
        sources: [],
      },
    });
  },
  known: {
    subject: ada,
    findings: [
      ...says(0.97, { email: "ada@analytical.example" }),
      ...says(0.92, {
        title: "CTO",
        company: "Analytical Engines",
        networkUrl: "https://www.linkedin.com/in/ada",
        firstName: "Ada",
        lastName: "Lovelace",
      }),
    ],
    spent: 1,
  },
  unknown: stranger,
  // The two are swapped there.
  limited: () => json({ errors: [{ id: "too_many_requests", code: 403 }] }, 403),
  limitedUntil: (now) => now + 60_000,
  usedUp: () => json({ errors: [{ id: "usage_exceeded", code: 429 }] }, 429),
};

const apollo: Vendor = {
  name: "apollo",
  create: (world, url, key) => createApollo(world, { url, key }),
  refusesWithoutKey: json({ error: "Invalid access credentials." }, 401),
  async answer(request, { pathname, searchParams }) {
    if (request.headers.get("x-api-key") !== vendorKey) return this.refusesWithoutKey!.clone();
    if (request.method !== "POST" || pathname !== "/people/match") return json({}, 404);
    if (searchParams.get("last_name") !== "Lovelace") return json({ person: null });
    return json({
      person: {
        id: "1",
        first_name: "Ada",
        last_name: "Lovelace",
        title: "CTO",
        headline: "Poetical science",
        email: "ada@analytical.example",
        email_status: "verified",
        linkedin_url: "http://www.linkedin.com/in/ada",
        city: "London",
        country: "United Kingdom",
        employment_history: [
          { title: "CTO", organization_name: "Analytical Engines", start_date: "1842-01-01", end_date: null },
        ],
        organization: {
          name: "Analytical Engines",
          website_url: "http://analytical.example",
          estimated_num_employees: 12,
          founded_year: 1843,
        },
      },
    });
  },
  known: {
    subject: ada,
    findings: [
      ...says(0.95, { email: "ada@analytical.example" }),
      ...says(0.85, {
        firstName: "Ada",
        lastName: "Lovelace",
        title: "CTO",
        bio: "Poetical science",
        location: "London, United Kingdom",
        experience: "CTO at Analytical Engines (1842–)",
        networkUrl: "http://www.linkedin.com/in/ada",
        company: "Analytical Engines",
        "companyInfo.name": "Analytical Engines",
        "companyInfo.website": "http://analytical.example",
        "companyInfo.size": "12",
        "companyInfo.founded": "1843",
      }),
    ],
    spent: 1,
  },
  unknown: stranger,
  limited: () => json({ message: "Too many" }, 429, { "retry-after": "120", "x-minute-requests-left": "0" }),
  limitedUntil: (now) => now + 120_000,
  usedUp: () => json({ error: "You have insufficient credits" }, 422),
};

const enrichments = new Map<string, number>();
const fullenrich: Vendor = {
  name: "fullenrich",
  create: (world, url, key) => createFullenrich(world, { url, key }),
  refusesWithoutKey: json({ message: "unauthorized" }, 401),
  async answer(request, { pathname }) {
    if (request.headers.get("authorization") !== `Bearer ${vendorKey}`) return this.refusesWithoutKey!.clone();
    if (request.method === "POST" && pathname === "/contact/enrich/bulk") {
      const { data } = (await request.json()) as { data: Record<string, string>[] };
      const id = `${data[0]?.["last_name"]}-${enrichments.size}`;
      enrichments.set(id, 0);
      return json({ enrichment_id: id });
    }
    const id = decodeURIComponent(pathname.split("/").at(-1) ?? "");
    const asked = enrichments.get(id);
    if (asked === undefined) return json({}, 404);
    enrichments.set(id, asked + 1);
    if (asked === 0) return json({ status: "IN_PROGRESS", data: [] });
    const email = id.startsWith("Lovelace") ? { email: "ada@analytical.example", status: "HIGH_PROBABILITY" } : null;
    return json({
      status: "FINISHED",
      cost: { credits: email === null ? 0 : 1 },
      data: [{ input: {}, contact_info: { most_probable_work_email: email }, profile: {} }],
    });
  },
  known: { subject: ada, findings: says(0.85, { email: "ada@analytical.example" }), spent: 1 },
  unknown: stranger,
  limited: () => json({}, 429),
  limitedUntil: (now) => now + 60_000,
  usedUp: () => json({ message: "no credits" }, 402),
};

const reacher: Vendor = {
  name: "reacher",
  create: (world, url, secret) => createReacher(world, { url, secret }),
  refusesWithoutKey: json({ error: "Missing secret" }, 401),
  async answer(request, { pathname }) {
    if (request.headers.get("x-reacher-secret") !== vendorKey) return this.refusesWithoutKey!.clone();
    if (request.method !== "POST" || pathname !== "/v0/check_email") return json({}, 404);
    const { to_email: email } = (await request.json()) as { to_email: string };
    const isCatchAll = email.startsWith("anybody@");
    return json({
      input: email,
      is_reachable: email.startsWith("ada@") || isCatchAll ? "safe" : "invalid",
      mx: { accepts_mail: true },
      smtp: { can_connect_smtp: true, is_catch_all: isCatchAll },
      misc: { is_disposable: false },
    });
  },
  known: {
    subject: { email: "ada@analytical.example" },
    findings: [{ field: "email", value: "ada@analytical.example", confidence: 0.97, verifies: true }],
    spent: 0,
  },
  unknown: {},
  limited: () => json({}, 429),
  limitedUntil: (now) => now + 60_000,
  usedUp: null,
};

const adaHash = new Bun.CryptoHasher("sha256").update("ada@analytical.example").digest("hex");
const gravatar: Vendor = {
  name: "gravatar",
  create: (world, url, key) => createGravatar(world, { url, key }),
  refusesWithoutKey: null,
  async answer(_request, { pathname }) {
    if (pathname !== `/profiles/${adaHash}`) return json({ error: "Profile not found", code: "not_found" }, 404);
    return json({
      hash: adaHash,
      display_name: "Ada Lovelace",
      job_title: "CTO",
      company: "Analytical Engines",
      location: "London",
      description: "Poetical science",
      verified_accounts: [
        { service_type: "github", url: "https://github.com/ada" },
        { service_type: "twitter", url: "https://twitter.com/ada" },
      ],
    });
  },
  known: {
    subject: { email: "ada@analytical.example" },
    findings: says(0.75, {
      email: "ada@analytical.example",
      firstName: "Ada",
      lastName: "Lovelace",
      title: "CTO",
      company: "Analytical Engines",
      location: "London",
      bio: "Poetical science",
      "socialProfiles.twitter": "https://twitter.com/ada",
      "socialProfiles.github": "https://github.com/ada",
    }),
    spent: 0,
  },
  unknown: { email: "nobody@nowhere.example" },
  limited: () => json({}, 429, { "x-ratelimit-reset": `${Date.UTC(2026, 0, 5, 11) / 1000}` }),
  limitedUntil: () => Date.UTC(2026, 0, 5, 11),
  usedUp: null,
};

const github: Vendor = {
  name: "github",
  create: (world, url, token) => createGithub(world, { url, token }),
  refusesWithoutKey: null,
  async answer(request, { pathname, searchParams }) {
    if (request.headers.get("accept") !== "application/vnd.github+json") return json({}, 415);
    if (pathname === "/search/users") {
      const isKnown = searchParams.get("q") === "ada@analytical.example in:email";
      return json({ total_count: isKnown ? 1 : 0, items: isKnown ? [{ login: "ada" }] : [] });
    }
    if (pathname !== "/users/ada") return json({ message: "Not Found" }, 404);
    return json({
      login: "ada",
      name: "Ada King Lovelace",
      company: "@analytical",
      location: "London",
      bio: null,
      twitter_username: "ada",
      html_url: "https://github.com/ada",
    });
  },
  known: {
    subject: { email: "ada@analytical.example" },
    findings: says(0.7, {
      email: "ada@analytical.example",
      firstName: "Ada",
      lastName: "King Lovelace",
      location: "London",
      company: "analytical",
      "socialProfiles.github": "https://github.com/ada",
      "socialProfiles.twitter": "https://twitter.com/ada",
    }),
    spent: 0,
  },
  unknown: { email: "nobody@nowhere.example" },
  limited: () =>
    json({ message: "API rate limit exceeded" }, 403, {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": `${Date.UTC(2026, 0, 5, 10, 30) / 1000}`,
    }),
  limitedUntil: () => Date.UTC(2026, 0, 5, 10, 30),
  usedUp: null,
};

export const mappedVendorFile = (url: string) => `
[[vendor]]
name = "acme"
url = "${url}/find?mail={email}&at={domain}"
headers = { authorization = "Bearer {secret}" }
secret-env = "ACME_KEY"
needs = ["email", "firstName+lastName+domain"]
confidence = "match.score"
confidence-scale = 100
spends = 2

[vendor.body]
who = { first = "{firstName}", last = "{lastName}", fixed = "x" }

[vendor.fields]
title = "person.jobs.0.title"
email = "person.mails.[].address"
skills = "person.skills"
"companyInfo.name" = "person.jobs.0.company.name"
`;

const acme: Vendor = {
  name: "acme",
  create: (world, url, secret) => createHttpVendor(world, readVendorMappings(mappedVendorFile(url))[0]!, secret),
  refusesWithoutKey: json({ error: "no" }, 401),
  async answer(request, { pathname, searchParams }) {
    if (request.headers.get("authorization") !== `Bearer ${vendorKey}`) return this.refusesWithoutKey!.clone();
    const { who } = (await request.json()) as { who: Record<string, string> };
    const isWhole = Object.keys(who).join() === "first,last,fixed" && who["last"] === "Lovelace";
    if (pathname !== "/find" || searchParams.get("at") !== "analytical.example" || !isWhole) return json({}, 404);
    return json({
      match: { score: "88" },
      person: {
        jobs: [{ title: "CTO", company: { name: "Analytical Engines" } }],
        mails: [{ address: "ada@analytical.example" }, { address: "b@c.de" }],
        skills: ["maths", 5, "poetry"],
      },
    });
  },
  known: {
    subject: ada,
    findings: says(0.88, {
      title: "CTO",
      email: "ada@analytical.example",
      skills: ["maths", "poetry"],
      "companyInfo.name": "Analytical Engines",
    }),
    spent: 2,
  },
  unknown: stranger,
  limited: () => json({}, 429, { "retry-after": "Mon, 05 Jan 2026 10:05:00 GMT" }),
  limitedUntil: () => Date.UTC(2026, 0, 5, 10, 5),
  usedUp: () => json({}, 402),
};

export const vendors: Vendor[] = [pdl, hunter, apollo, fullenrich, reacher, gravatar, github, acme];

/** Plays a vendor on a loopback address. `await using` stops it. */
export function startVendor(vendor: Vendor) {
  let instead: ((request: Request) => Response | Promise<Response>) | null = null;
  let requests = 0;
  let arrived = (): void => {};
  const server = Bun.serve({
    // An answer that is withheld may take longer than the ten seconds that Bun leaves a quiet connection.
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      requests++;
      arrived();
      return instead === null ? vendor.answer(request, new URL(request.url)) : instead(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get requests() {
      return requests;
    },
    /** Answers everything so from now on. */
    answerWith(answer: typeof instead) {
      instead = answer;
    },
    /** Resolves with the next request. */
    nextRequest: () => new Promise<void>((resolve) => (arrived = resolve)),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
