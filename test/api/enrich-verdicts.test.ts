import { describe, expect, test } from "bun:test";
import type { EnrichAnswer } from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import { FakeClock } from "../support/clock.ts";
import type { Client } from "../support/client.ts";
import { ada, startWith } from "../support/enrich-service.ts";
import { succeeded, testInProcess } from "../support/service.ts";

const dayMs = 86_400_000;
const wrong = "ada.lovelace@analytical.example";
const contact = { includePersonalInfo: false, includeCompanyInfo: false, includeSocialProfiles: false };

const enrich = async (client: Client, lead: object, more: object = {}) =>
  succeeded(await client.post<EnrichAnswer>("/api/v2/enrich", { leads: [lead], ...more })).data;
const apolloSays = (person: object) => () => Response.json({ person });
const hunterSays = (status: string) => () => Response.json({ data: { status } });
const reacherSays = (verdict: string) => () => Response.json({ is_reachable: verdict, mx: { accepts_mail: true } });

describe("an address that a verifier refutes", () => {
  test("is not told, charged or written to a lead, whoever brings it then, nor as an alternative", async () => {
    await using started = await startWith(["reacher", "apollo", "pdl", "hunter"]);
    const { service, servers } = started;
    const [reacher, apollo, pdl, hunter] = servers;
    const user = await service.user();
    // local guesses the address, and the played Reacher knows addresses that begin with ada@ only.
    apollo?.answerWith(apolloSays({ email: wrong.toUpperCase(), email_status: "verified" }));
    const found = { work_email: wrong, emails: [{ address: wrong }] };
    pdl?.answerWith(() => Response.json({ likelihood: 10, data: found }));
    hunter?.answerWith(() => Response.json({ data: { email: wrong, score: 95 } }));
    const lead = succeeded(
      await user.post<LeadView>("/api/v2/leads", {
        firstName: ada.firstName,
        lastName: ada.lastName,
        company: ada.company,
      }),
    ).data;
    const asked = { leadId: lead.id, domain: ada.domain };
    const answer = await enrich(user, asked, { enrichmentOptions: contact, writeBack: true });
    expect(answer).toMatchObject({ creditsUsed: 0, enriched: [], failed: [{ code: "NO_MATCH" }] });
    expect([reacher, apollo, pdl, hunter].map((each) => each?.requests)).toEqual([1, 1, 1, 1]);
    // What they know besides is told, and is what is paid for.
    apollo?.answerWith(apolloSays({ email: wrong, email_status: "verified", title: "CTO" }));
    const besides = await enrich(user, asked, { writeBack: true });
    expect(besides).toMatchObject({ creditsUsed: 1, enriched: [{ enrichedData: { title: "CTO" } }] });
    expect(JSON.stringify(besides).toLowerCase()).not.toContain(wrong);
    expect((await user.get<LeadView>(`/api/v2/leads/${lead.id}`)).data).toMatchObject({ email: null, title: "CTO" });
    // The miss was not stored, the verdict was: nobody is asked again to verify.
    expect(reacher?.requests).toBe(1);
  }, 20_000);

  test("stays so in every form in which a vendor writes it, and what is no address is not sold as one", async () => {
    await using started = await startWith(["reacher", "pdl"]);
    const { service, servers } = started;
    const [, pdl] = servers;
    const user = await service.user();
    await enrich(user, { email: wrong }, { providers: ["reacher"] });
    for (const said of [`mailto:${wrong}`, `Ada Lovelace <${wrong}>`, "N/A"]) {
      const data = { work_email: said, personal_emails: [said, "none"] };
      pdl?.answerWith(() => Response.json({ likelihood: 10, data }));
      const answer = await enrich(user, ada, { providers: ["pdl"], enrichmentOptions: contact });
      expect(answer).toMatchObject({ creditsUsed: 0, enriched: [], failed: [{ code: "NO_MATCH" }] });
    }
    expect(pdl?.requests).toBe(3);
  });

  test("leaves a likelier one alone that was found before it", async () => {
    await using started = await startWith(["reacher", "hunter", "apollo"]);
    const { service, servers } = started;
    const [, hunter, apollo] = servers;
    const user = await service.user();
    await enrich(user, { email: wrong }, { providers: ["reacher"] });
    hunter?.answerWith(() => Response.json({ data: { email: "al@analytical.example", score: 65 } }));
    apollo?.answerWith(apolloSays({ email: wrong, email_status: "verified" }));
    const { enriched } = await enrich(user, ada, { providers: ["hunter", "apollo"], enrichmentOptions: contact });
    expect(enriched[0]?.enrichedData).toEqual({ email: "al@analytical.example" });
  });

  test("goes out of what is paid for, too", async () => {
    await using started = await startWith(["apollo", "hunter"]);
    const { service, servers } = started;
    const [apollo, hunter] = servers;
    const user = await service.user();
    apollo?.answerWith(apolloSays({ email: wrong, email_status: "verified", title: "CTO" }));
    hunter?.answerWith(hunterSays("invalid"));
    const first = await enrich(user, ada, { providers: ["apollo"] });
    expect(first).toMatchObject({ creditsUsed: 1, enriched: [{ enrichedData: { email: wrong } }] });
    await enrich(user, { email: wrong }, { providers: ["hunter"], refresh: true });
    const again = await enrich(user, ada, { providers: ["apollo"] });
    expect(again).toMatchObject({ creditsUsed: 0, enriched: [{ fromCache: true, enrichedData: { title: "CTO" } }] });
    expect(again.enriched[0]?.enrichedData).not.toHaveProperty("email");
  });

  test("counts as well when the vendor refutes what it finds itself", async () => {
    await using started = await startWith(["hunter", "apollo"]);
    const { service, servers } = started;
    const [hunter, apollo] = servers;
    const user = await service.user();
    hunter?.answerWith(() => Response.json({ data: { email: wrong, score: 95, verification: { status: "invalid" } } }));
    apollo?.answerWith(apolloSays({ email: wrong, email_status: "verified" }));
    const order = { providers: ["hunter", "apollo"], enrichmentOptions: contact };
    expect(await enrich(user, ada, order)).toMatchObject({ creditsUsed: 0, enriched: [] });
    expect([hunter?.requests, apollo?.requests]).toEqual([1, 1]);
  });

  testInProcess("may come again after 90 days", async () => {
    const clock = new FakeClock();
    await using started = await startWith(["reacher", "apollo"], {}, { clock });
    const { service, servers } = started;
    const [reacher, apollo] = servers;
    const user = await service.user();
    apollo?.answerWith(apolloSays({ email: wrong, email_status: "verified" }));
    const byApollo = () => enrich(user, ada, { providers: ["apollo"], enrichmentOptions: contact });
    await enrich(user, { email: wrong }, { providers: ["reacher"] });
    clock.advance(90 * dayMs);
    expect(await byApollo()).toMatchObject({ creditsUsed: 0, enriched: [] });
    clock.advance(1);
    expect(await byApollo()).toMatchObject({ creditsUsed: 1, enriched: [{ enrichedData: { email: wrong } }] });
    expect(reacher?.requests).toBe(1);
  });

  test("and was sent is told as wrong, and another one is looked for", async () => {
    await using started = await startWith(["reacher", "hunter"]);
    const { service, servers } = started;
    const [reacher, hunter] = servers;
    const user = await service.user();
    const answer = await enrich(user, { ...ada, email: wrong }, { providers: ["reacher", "hunter"] });
    expect(answer).toMatchObject({
      creditsUsed: 1,
      enriched: [
        {
          enrichedData: { email: "ada@analytical.example" },
          emailVerification: { email: wrong, verdict: "invalid", confidence: 0, provider: "reacher" },
        },
      ],
    });
    expect([reacher?.requests, hunter?.requests]).toEqual([1, 1]);
  });

  test("by the only vendor there is, which then looks for another one itself, once", async () => {
    await using started = await startWith(["hunter"]);
    const { service, servers } = started;
    const [hunter] = servers;
    const user = await service.user();
    const lead = { ...ada, email: wrong };
    const only = { providers: ["hunter"], enrichmentOptions: contact };
    const invalid = { email: wrong, verdict: "invalid" };
    expect(await enrich(user, lead, only)).toMatchObject({
      creditsUsed: 1,
      enriched: [{ enrichedData: { email: "ada@analytical.example" }, emailVerification: invalid }],
    });
    expect(hunter?.requests).toBe(2);
    hunter?.answerWith((request) =>
      Response.json({ data: request.url.includes("verifier") ? { status: "invalid" } : {} }),
    );
    expect(await enrich(user, lead, { ...only, refresh: true })).toMatchObject({
      creditsUsed: 0,
      enriched: [{ enrichedData: {}, emailVerification: invalid }],
    });
    expect(hunter?.requests).toBe(4);
  });
});

describe("a verification alone", () => {
  test("is told, costs no credits, and is not bought again; each user buys for themselves", async () => {
    await using started = await startWith(["hunter"]);
    const { service, servers } = started;
    const [hunter] = servers;
    const user = await service.user();
    const verify = (email: string, by = user, more = {}) => enrich(by, { email }, { providers: ["hunter"], ...more });
    const right = "ada@analytical.example";
    const valid = await verify(right);
    expect(valid).toMatchObject({
      creditsUsed: 0,
      remainingCredits: 1000,
      failed: [],
      enriched: [
        {
          enrichedData: { email: right },
          fieldConfidence: { email: 0.97 },
          emailVerification: { email: right, verdict: "valid", confidence: 0.97, provider: "hunter" },
          creditsUsed: 0,
          fromCache: false,
        },
      ],
    });
    expect(await verify(wrong)).toMatchObject({
      creditsUsed: 0,
      enriched: [{ enrichedData: {}, confidence: 0, emailVerification: { verdict: "invalid", confidence: 0 } }],
    });
    await service.restart();
    const again = await verify(right.toUpperCase());
    expect(again.enriched[0]).toMatchObject({ fromCache: true, creditsUsed: 0 });
    expect(again.enriched[0]?.emailVerification).toEqual(valid.enriched[0]!.emailVerification);
    expect((await verify(wrong)).enriched[0]).toMatchObject({ emailVerification: { verdict: "invalid" } });
    expect(hunter?.requests).toBe(2);
    await verify(right, await service.user());
    expect(hunter?.requests).toBe(3);
    expect((await user.get("/api/v2/credits/ledger", { query: { kind: "settle" } })).data).toMatchObject({
      entries: [],
    });
  }, 20_000);

  test("that says little is not bought again from the same one, but from others", async () => {
    await using started = await startWith(["hunter", "reacher"]);
    const { service, servers } = started;
    const [hunter, reacher] = servers;
    const user = await service.user();
    hunter?.answerWith(hunterSays("accept_all"));
    const email = "ada@analytical.example";
    for (let turn = 0; turn < 2; turn++)
      expect(await enrich(user, { email }, { providers: ["hunter"] })).toMatchObject({
        creditsUsed: 0,
        enriched: [
          { fieldConfidence: { email: 0.6 }, emailVerification: { verdict: "uncertain", provider: "hunter" } },
        ],
      });
    expect(hunter?.requests).toBe(1);
    expect(await enrich(user, { email }, { providers: ["hunter", "reacher"] })).toMatchObject({
      enriched: [{ fieldConfidence: { email: 0.97 }, emailVerification: { verdict: "valid", provider: "reacher" } }],
    });
    expect([hunter?.requests, reacher?.requests]).toEqual([1, 1]);
  });

  test("is neither bought nor told where contact details are not wanted", async () => {
    await using started = await startWith(["hunter"]);
    const { service, servers } = started;
    const user = await service.user();
    const lead = { email: "ada@analytical.example" };
    const off = { providers: ["hunter"], enrichmentOptions: { includeContactInfo: false } };
    expect(await enrich(user, lead, off)).toMatchObject({ enriched: [], failed: [{ code: "NO_MATCH" }] });
    expect(servers[0]?.requests).toBe(0);
    await enrich(user, lead, { providers: ["hunter"] });
    expect(await enrich(user, lead, off)).toMatchObject({ enriched: [], failed: [{ code: "NO_MATCH" }] });
  });

  test("nor is an address bought where only other parts are wanted, which cost their own", async () => {
    await using started = await startWith(["fullenrich"]);
    const { service, servers } = started;
    const user = await service.user();
    const bought: unknown[] = [];
    servers[0]?.answerWith(async (request) => {
      const { data } = (await request.json()) as { data: { enrich_fields: string[] }[] };
      bought.push(data[0]?.enrich_fields);
      return Response.json({}, { status: 404 });
    });
    const lead = { networkUrl: "https://www.linkedin.com/in/ada" };
    for (const includeContactInfo of [false, true])
      await enrich(user, lead, { providers: ["fullenrich"], enrichmentOptions: { includeContactInfo } });
    expect(bought).toEqual([[], ["contact.work_emails"]]);
  });

  test("is bought again where that is wanted, and takes the place of all that was said before", async () => {
    await using started = await startWith(["reacher", "hunter"]);
    const { service, servers } = started;
    const [reacher, hunter] = servers;
    const user = await service.user();
    const email = "ada@analytical.example";
    reacher?.answerWith(reacherSays("invalid"));
    await enrich(user, { email }, { providers: ["reacher"] });
    const refreshed = await enrich(user, { email }, { providers: ["hunter"], refresh: true });
    expect(refreshed).toMatchObject({ creditsUsed: 0, enriched: [{ emailVerification: { verdict: "valid" } }] });
    const after = await enrich(user, { email }, { providers: ["reacher", "hunter"] });
    expect(after).toMatchObject({ enriched: [{ fromCache: true, emailVerification: { provider: "hunter" } }] });
    expect([reacher?.requests, hunter?.requests]).toEqual([1, 1]);
  });

  test("stands in the export of a person, and goes when they are erased", async () => {
    await using started = await startWith(["hunter"]);
    const { service } = started;
    const user = await service.user();
    const email = "ada@analytical.example";
    await enrich(user, { email });
    const places = async () =>
      succeeded(
        await user.post<{ records: { collection: string }[] }>("/api/v2/privacy/export", { email }),
      ).data.records.map(({ collection }) => collection);
    expect((await places()).toSorted()).toEqual(["emailVerdicts", "enrichmentItems"]);
    const erasing = await user.post<{ jobId: string }>("/api/v2/privacy/erase", { email, dryRun: false });
    await service.ended(user, succeeded(erasing).data.jobId);
    expect(await places()).toEqual(["suppressions"]);
  });

  test("does not make free what is found later, and that is charged once", async () => {
    await using started = await startWith(["hunter", "apollo"]);
    const { service } = started;
    const user = await service.user();
    const lead = { ...ada, email: "ada@analytical.example" };
    expect(await enrich(user, lead, { providers: ["hunter"] })).toMatchObject({ creditsUsed: 0 });
    for (const creditsUsed of [1, 0])
      expect(await enrich(user, lead, { providers: ["apollo"] })).toMatchObject({
        creditsUsed,
        enriched: [{ enrichedData: { title: "CTO" }, emailVerification: { verdict: "valid", provider: "hunter" } }],
      });
  });
});

describe("an address that was refuted, where anew is asked", () => {
  const anew = { refresh: true, enrichmentOptions: contact };
  /** Reacher refutes the address, of which Apollo is sure. */
  async function arrange() {
    const started = await startWith(["reacher", "apollo", "hunter"]);
    const [reacher, apollo, hunter] = started.servers;
    const user = await started.service.user();
    apollo?.answerWith(apolloSays({ email: wrong, email_status: "verified" }));
    await enrich(user, { email: wrong }, { providers: ["reacher"] });
    const { firstName, lastName, company } = ada;
    const lead = succeeded(await user.post<LeadView>("/api/v2/leads", { firstName, lastName, company })).data;
    const emailOf = async () => (await user.get<LeadView>(`/api/v2/leads/${lead.id}`)).data?.email;
    return { started, reacher, apollo, hunter, user, asked: { leadId: lead.id, domain: ada.domain }, emailOf };
  }

  for (const how of ["directly", "by job"])
    test(`stays refuted until a verifier has answered anew, ${how}`, async () => {
      const { started, reacher, apollo, user, asked, emailOf } = await arrange();
      await using _ = started;
      const run = async (providers: string[]) => {
        const body = { leads: [asked], ...anew, writeBack: true, providers };
        const headers = { prefer: how === "by job" ? "respond-async" : "wait=5" };
        const answer = succeeded(await user.post<EnrichAnswer & JobView>("/api/v2/enrich", body, { headers })).data;
        if (how === "directly") return answer;
        await started.service.ended(user, answer.id);
        return succeeded(await user.get<EnrichAnswer>(`/api/v2/enrich/jobs/${answer.id}/results`)).data;
      };
      const nothing = { creditsUsed: 0, enriched: [], failed: [{ code: "NO_MATCH" }] };
      expect(await run(["apollo"])).toMatchObject(nothing);
      expect(reacher?.requests).toBe(1);
      expect(await run(["apollo", "reacher"])).toMatchObject(nothing);
      expect([reacher?.requests, apollo?.requests]).toEqual([2, 2]);
      reacher?.answerWith(() => Response.json({}, { status: 500 }));
      const unanswered = { creditsUsed: 0, enriched: [], failed: [{ code: "PROVIDERS_UNAVAILABLE" }] };
      expect(await run(["apollo", "reacher"])).toMatchObject(unanswered);
      expect(await emailOf()).toBeNull();
      reacher?.answerWith(reacherSays("safe"));
      expect(await run(["apollo", "reacher"])).toMatchObject({
        creditsUsed: 1,
        enriched: [{ enrichedData: { email: wrong }, emailVerification: { verdict: "valid", provider: "reacher" } }],
      });
      expect(await emailOf()).toBe(wrong);
    }, 20_000);

  test("and is sent stays refuted though a vendor confirms it, and another one is looked for", async () => {
    const { started, reacher, hunter, user } = await arrange();
    await using _ = started;
    const sent = { ...ada, email: wrong };
    const confirmed = await enrich(user, sent, { ...anew, providers: ["apollo"] });
    const invalid = { email: wrong, verdict: "invalid", provider: "reacher" };
    expect(confirmed).toMatchObject({ creditsUsed: 0, enriched: [{ enrichedData: {}, emailVerification: invalid }] });
    expect(confirmed.enriched[0]?.enrichedData).not.toHaveProperty("email");
    expect(reacher?.requests).toBe(1);
    const another = await enrich(user, sent, { ...anew, providers: ["apollo", "reacher", "hunter"] });
    expect(another).toMatchObject({
      creditsUsed: 1,
      enriched: [{ enrichedData: { email: "ada@analytical.example" }, emailVerification: invalid }],
    });
    // Hunter says so of another address, which is right, when it has been asked about this one.
    expect([reacher?.requests, hunter?.requests]).toEqual([2, 1]);
    reacher?.answerWith(reacherSays("safe"));
    expect(await enrich(user, sent, { ...anew, providers: ["apollo", "reacher"] })).toMatchObject({
      creditsUsed: 0,
      enriched: [{ enrichedData: { email: wrong }, emailVerification: { email: wrong, verdict: "valid" } }],
    });
  }, 20_000);
});
