import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { startService } from "../support/service.ts";
import { ask, cloneForm, isoInstant, keyAndId, keyWith, section, tone, type Json } from "./support.ts";

setDefaultTimeout(120_000);
const service = await startService({
  settings: { DEFAULT_CREDITS: 10_000, CONNECTOR: "simulated", ENRICHMENTS_PER_HOUR: 0 },
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, key?: string) => ask(service, "GET", path, key === undefined ? {} : { key });
const post = (path: string, json: unknown) => ask(service, "POST", path, { json });
const put = (path: string, json: unknown) => ask(service, "PUT", path, { json });

section("4.1 GET /health", (says) => {
  says("needs no permission", async () => {
    const key = await keyWith(service, ["voice:read"]);
    expect((await get("/health", key)).status).toBe(200);
  });
  says("answers the health report", async () => expect((await get("/health")).body).toMatchObject({ version: "2.0" }));
  says("refuses a request without a key with 401 UNAUTHORIZED", async () =>
    expect(await ask(service, "GET", "/health", { key: null })).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED" },
    }),
  );
});

section("4.2 GET /users/jobs", (says) => {
  const act = (name: string) =>
    post("/network/scheduleNetworkAction", {
      actionType: "sendConnectionRequest",
      profileUrl: `https://network.example/in/${name}`,
    });
  const jobsIn = async (query: string): Promise<Json[]> => (await get(`/users/jobs?${query}`)).body["data"].jobs;
  const seconds = () => Math.floor(Date.now() / 1000);
  says("answers userId, success, and data with jobs and statistics", async () => {
    await act("one");
    expect((await get("/users/jobs")).body).toMatchObject({
      userId: expect.any(String),
      success: true,
      data: { jobs: expect.any(Array), statistics: expect.any(Object) },
    });
  });
  says("needs the permission users:read", async () => {
    const key = await keyWith(service, ["jobs:read"]);
    expect(await get("/users/jobs", key)).toMatchObject({
      status: 403,
      body: { permissionHelp: { required: "users:read" } },
    });
  });
  says("needs a user-specific key: 400 with error as a string and availableRoute for a global one", async () => {
    const { key } = await service.globalKey();
    const { status, body } = await get("/users/jobs", key ?? "");
    expect(status).toBe(400);
    expect(body["error"]).toBeString();
    expect(body["availableRoute"]).toContain("/api/v2/users/jobs/userJobStatus");
  });
  says("startDate is a Unix timestamp, the lower bound", async () => {
    await act("two");
    expect((await jobsIn(`startDate=${seconds() - 3600}`)).length).toBeGreaterThan(0);
    expect(await jobsIn(`startDate=${seconds() + 3600}`)).toEqual([]);
  });
  says("endDate is a Unix timestamp, the upper bound", async () => {
    await act("three");
    expect((await jobsIn(`endDate=${seconds() + 3600}`)).length).toBeGreaterThan(0);
    expect(await jobsIn(`endDate=${seconds() - 3600}`)).toEqual([]);
  });
  says("status filters", async () => {
    for (const { status } of await jobsIn("status=pending")) expect(status).toBe("pending");
    expect(await jobsIn("status=failed")).toEqual([]);
  });
  says("type filters", async () => {
    for (const { type } of await jobsIn("type=linkedin_action")) expect(type).toBe("linkedin_action");
    expect((await jobsIn("type=linkedin_action")).length).toBeGreaterThan(0);
  });
  says("answers all jobs in range, however many", async () => {
    const user = await service.user();
    for (let n = 0; n < 150; n++)
      await ask(service, "POST", "/enrich", { key: user.key, json: { leads: [{ email: `n${n}@nowhere.example` }] } });
    const { jobs, statistics } = (await get("/users/jobs", user.key ?? "")).body["data"];
    expect([jobs.length, statistics.total]).toEqual([150, 150]);
  });
  says("the legacy route userJobStatus takes the user from the path", async () => {
    const { body: health } = await get("/health");
    const { status, body } = await get(`/users/jobs/userJobStatus/${health["user"].id}`);
    expect([status, body["success"]]).toEqual([200, true]);
  });
  says("the legacy route jobStatus needs the permission jobs:read", async () => {
    const key = await keyWith(service, ["users:read"]);
    const { status, body } = await get("/users/jobs/jobStatus?jobId=x", key);
    expect([status, body["permissionHelp"].required]).toEqual([403, "jobs:read"]);
  });
  says("the legacy route jobCounts exists", async () => expect((await get("/users/jobs/jobCounts")).status).toBe(200));
  says("the legacy route editJobMessage needs the permission jobs:update", async () => {
    const key = await keyWith(service, ["jobs:read"]);
    const { status, body } = await ask(service, "PUT", "/users/jobs/editJobMessage/x", { key, json: { message: "m" } });
    expect([status, body["permissionHelp"].required]).toEqual([403, "jobs:update"]);
  });
  says("the legacy route editJobMessage changes the message of a job", async () => {
    const jobId = (await act("edited")).body["data"].jobId;
    expect((await put(`/users/jobs/editJobMessage/${jobId}`, { message: "By hand" })).status).toBe(200);
    expect((await get(`/users/jobs/${jobId}`)).body["data"].message).toBe("By hand");
  });
});

section("4.3 POST /enrich", (says) => {
  const known = {
    email: "enrich@engines.example",
    firstName: "Ada",
    lastName: "Lovelace",
    company: "Engines",
    title: "CTO",
  };
  const enrich = async (leads: Json[], more: Json = {}) => {
    await post("/leads", known);
    return post("/enrich", { leads, ...more });
  };
  says("needs the permission leads:enrich", async () => {
    const key = await keyWith(service, ["leads:read"]);
    const refused = await ask(service, "POST", "/enrich", { key, json: { leads: [{ email: "a@b.example" }] } });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "leads:enrich" } } });
  });
  says("leads is required", async () => expect((await post("/enrich", {})).status).toBe(400));
  for (const [what, lead] of [
    ["an email", { email: known.email }],
    ["a networkUrl", { networkUrl: "https://network.example/in/x" }],
    ["firstName, lastName and company together", { firstName: "Ada", lastName: "Lovelace", company: "Engines" }],
  ] as const)
    says(`${what} is identifier enough`, async () => expect((await enrich([lead])).status).toBe(200));
  says("a lead without an identifier is refused with index and message", async () => {
    const { status, body } = await enrich([
      { email: "fine@engines.example" },
      { firstName: "Ada", lastName: "Lovelace" },
    ]);
    expect([status, body["code"]]).toEqual([400, "VALIDATION_ERROR"]);
    expect(body["details"].errors[0]).toMatchObject({ index: 1, message: expect.any(String) });
  });
  says("answers success, and enriched, failed, creditsUsed and remainingCredits in data", async () => {
    const { body } = await enrich([{ email: known.email }]);
    expect(body).toMatchObject({
      success: true,
      data: { enriched: [{}], failed: [], creditsUsed: expect.any(Number), remainingCredits: expect.any(Number) },
    });
  });
  for (const option of ["includePersonalInfo", "includeCompanyInfo", "includeSocialProfiles", "includeContactInfo"])
    says(`enrichmentOptions.${option} is a boolean`, async () => {
      expect((await enrich([{ email: known.email }], { enrichmentOptions: { [option]: false } })).status).toBe(200);
      expect((await enrich([{ email: known.email }], { enrichmentOptions: { [option]: "no" } })).status).toBe(400);
    });
  says("50 leads a request are recommended, more are answered the same way", async () => {
    const leads = Array.from({ length: 120 }, (_, n) => ({ email: `many${n}@nowhere.example` }));
    const { status, body } = await enrich(leads);
    expect(status).toBe(200);
    expect(body["data"].enriched.length + body["data"].failed.length).toBe(120);
  });
  says("consumes credits, and says how many remain", async () => {
    const fresh = { ...known, email: "credits@engines.example" };
    await post("/leads", fresh);
    const before = (await get("/credits")).body["data"].balance;
    const { data } = (await post("/enrich", { leads: [{ email: fresh.email }] })).body;
    expect(data.creditsUsed).toBe(1);
    expect(data.remainingCredits).toBe(before - 1);
  });
  says("402 ENRICHMENT_CREDITS_EXHAUSTED has details remaining, required and upgradeUrl, a URL", async () => {
    const poor = await service.user();
    await ask(service, "POST", `/users/${poor.userId}/credits/adjust`, { json: { amount: -10_000, note: "test" } });
    const { status, body } = await ask(service, "POST", "/enrich", {
      key: poor.key,
      json: { leads: [{ email: "a@b.example" }] },
    });
    expect([status, body["code"]]).toEqual([402, "ENRICHMENT_CREDITS_EXHAUSTED"]);
    expect(body["details"]).toMatchObject({ remaining: 0, required: 1 });
    expect(URL.canParse(body["details"].upgradeUrl)).toBe(true);
  });
});

section("4.4 POST /prospecting/search", (says) => {
  const csv =
    "First name,Last name,Email,Title,Department,Company,Industry,Company size,Revenue,Company location,Technologies\n" +
    Array.from(
      { length: 30 },
      (_, n) => `P${n},Person,p${n}@firm.example,Sales Manager,Sales,Firm,Software,51-200,5000000,Berlin,Node.js`,
    ).join("\n");
  const imported = (async () => {
    const { body } = await ask(service, "POST", "/prospecting/import", {
      text: csv,
      headers: { "content-type": "text/csv" },
    });
    await service.ended(service.admin, body["data"].id);
  })();
  const search = async (json: Json) => {
    await imported;
    return post("/prospecting/search", json);
  };
  says("needs the permission prospecting:search", async () => {
    const key = await keyWith(service, ["leads:read"]);
    const refused = await ask(service, "POST", "/prospecting/search", { key, json: { filters: {} } });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "prospecting:search" } } });
  });
  for (const [name, filters] of [
    ["company.industry", { company: { industry: ["Software"] } }],
    ["company.size", { company: { size: ["51-200"] } }],
    ["company.location", { company: { location: ["Berlin"] } }],
    ["company.revenue", { company: { revenue: { min: 1_000_000, max: 10_000_000 } } }],
    ["company.revenue with max null", { company: { revenue: { min: 1_000_000, max: null } } }],
    ["person.title", { person: { title: ["Sales Manager"] } }],
    ["person.seniority", { person: { seniority: ["Manager"] } }],
    ["person.department", { person: { department: ["Sales"] } }],
    ["technology.using", { technology: { using: ["Node.js"] } }],
    ["technology.notUsing", { technology: { notUsing: ["COBOL"] } }],
  ] as const)
    says(`filters by ${name}`, async () => {
      const { status, body } = await search({ filters, limit: 1 });
      expect([status, body["data"].total]).toEqual([200, 30]);
    });
  says("limit is an integer from 1 to 100", async () => {
    for (const limit of [0, 101, 1.5]) expect((await search({ filters: {}, limit })).status).toBe(400);
    for (const limit of [1, 100]) expect((await search({ filters: {}, limit })).status).toBe(200);
  });
  says("answers prospects, total, creditsUsed and remainingCredits", async () => {
    const { body } = await search({ filters: {}, limit: 2 });
    expect(body).toMatchObject({
      success: true,
      data: { prospects: [{}, {}], total: 30, creditsUsed: expect.any(Number), remainingCredits: expect.any(Number) },
    });
  });
  says("total counts all matches, not the page", async () =>
    expect((await search({ filters: {}, limit: 5 })).body["data"].total).toBe(30),
  );
  says("offset skips results: pages until an empty one have each result once", async () => {
    const ids: string[] = [];
    for (let offset = 0; ; offset += 7) {
      const { prospects } = (await search({ filters: {}, limit: 7, offset })).body["data"];
      if (prospects.length === 0) break;
      ids.push(...prospects.map(({ id }: Json) => id));
    }
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
  });
});

section("4.5 POST /network/upload-prospects", (says) => {
  const person = (name: string) => ({ name, network_url: `https://network.example/in/${name.toLowerCase()}` });
  const upload = (json: Json) => post("/network/upload-prospects", json);
  says("needs the permission network:upload", async () => {
    const key = await keyWith(service, ["network:schedule"]);
    const refused = await ask(service, "POST", "/network/upload-prospects", {
      key,
      json: { prospects: [person("A")] },
    });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "network:upload" } } });
  });
  says("prospects is required", async () => expect((await upload({})).status).toBe(400));
  says("answers uploaded_count, skipped_count, errors and prospect_ids", async () =>
    expect((await upload({ prospects: [person("Shape")] })).body).toMatchObject({
      uploaded_count: 1,
      skipped_count: 0,
      errors: [],
      prospect_ids: [expect.any(String)],
    }),
  );
  says("duplicates are skipped", async () => {
    await upload({ prospects: [person("Twice")] });
    expect((await upload({ prospects: [person("Twice")] })).body).toMatchObject({
      uploaded_count: 0,
      skipped_count: 1,
    });
  });
  says("invalid data is skipped, with an error message", async () => {
    const { body } = await upload({ prospects: [person("Valid"), { name: "Bad", network_url: "not a url" }] });
    expect(body).toMatchObject({ uploaded_count: 1, skipped_count: 1, errors: [expect.any(String)] });
  });
  says("tags are applied to all uploaded prospects", async () => {
    const { body } = await upload({ prospects: [person("TagOne"), person("TagTwo")], tags: ["fair"] });
    for (const id of body["prospect_ids"]) expect((await get(`/leads/${id}`)).body["data"].tags).toContain("fair");
  });
  says("campaign_id may be any text of the client's own", async () =>
    expect((await upload({ prospects: [person("Own")], campaign_id: "spring-2026" })).body).toMatchObject({
      uploaded_count: 1,
    }),
  );
});

section("4.6 POST /network/scheduleNetworkAction", (says) => {
  const schedule = (json: Json) => post("/network/scheduleNetworkAction", json);
  const action = (name: string) => ({
    ...{ actionType: "sendConnectionRequest", profileUrl: `https://network.example/in/${name}`, message: "Hello" },
  });
  says("needs the permission network:schedule", async () => {
    const key = await keyWith(service, ["network:upload"]);
    const refused = await ask(service, "POST", "/network/scheduleNetworkAction", { key, json: action("a") });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "network:schedule" } } });
  });
  says("takes actionType, profileUrl and message, and no account settings", async () =>
    expect(await schedule(action("plain"))).toMatchObject({ status: 200, body: { success: true } }),
  );
  says("the message names the action type and the delay in milliseconds", async () =>
    expect((await schedule(action("message"))).body["message"]).toMatch(/sendConnectionRequest.* \d+ ms/),
  );
  says("is carried out asynchronously, as a job", async () => {
    const { body } = await schedule(action("job"));
    expect((await get(`/users/jobs/${body["data"].jobId}`)).body["data"].type).toBe("linkedin_action");
  });
});

section("4.7 POST /leads", (says) => {
  says("needs the permission leads:write", async () => {
    const key = await keyWith(service, ["leads:read"]);
    const refused = await ask(service, "POST", "/leads", { key, json: { email: "a@b.example" } });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "leads:write" } } });
  });
  says("answers success and the lead", async () =>
    expect((await post("/leads", { email: "new@x.example" })).body).toMatchObject({
      success: true,
      data: { status: "new" },
    }),
  );
  says("createdAt equals updatedAt at creation", async () => {
    const { createdAt, updatedAt } = (await post("/leads", { email: "equal@x.example" })).body["data"];
    expect(updatedAt).toBe(createdAt);
  });
});

section("4.8 GET /leads", (says) => {
  says("needs the permission leads:read", async () => {
    const key = await keyWith(service, ["leads:write"]);
    expect(await get("/leads", key)).toMatchObject({
      status: 403,
      body: { permissionHelp: { required: "leads:read" } },
    });
  });
  says("takes limit, an integer", async () => {
    await post("/leads", { email: "listed@x.example" });
    expect((await get("/leads?limit=1")).body["data"].leads).toHaveLength(1);
  });
});

section("4.9 PUT /leads/{leadId}", (says) => {
  const stored = async (): Promise<string> => (await post("/leads", { email: "put@x.example" })).body["data"].id;
  says("needs the permission leads:write", async () => {
    const key = await keyWith(service, ["leads:read"]);
    const refused = await ask(service, "PUT", "/leads/x", { key, json: {} });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "leads:write" } } });
  });
  for (const [name, value] of Object.entries({
    ...{ firstName: "New", lastName: "Name", email: "changed@x.example", company: "Other", title: "CEO" },
    ...{ status: "contacted", tags: ["a", "b"], customFields: { k: "v" } },
  }))
    says(`changes ${name}`, async () => {
      const { body } = await put(`/leads/${await stored()}`, { [name]: value });
      expect(body).toMatchObject({ success: true, data: { [name]: value } });
    });
  says("updatedAt changes", async () => {
    const id = await stored();
    const { updatedAt } = (await get(`/leads/${id}`)).body["data"];
    await Bun.sleep(2);
    expect((await put(`/leads/${id}`, { title: "CEO" })).body["data"].updatedAt).not.toBe(updatedAt);
  });
  says("what is not sent stays as it was", async () => {
    const { body } = await put(`/leads/${await stored()}`, { title: "CEO" });
    expect(body["data"].email).toBe("put@x.example");
  });
});

section("4.10 POST /voice-clones", (says) => {
  const create = async (files: [string, Uint8Array | string][], fields = {}, key = "") => {
    const owner = key === "" ? (await service.user()).key : key;
    return ask(service, "POST", "/voice-clones", { key: owner, form: cloneForm(files, fields) });
  };
  says("needs the permission voice:create", async () => {
    const key = await keyWith(service, ["voice:read"]);
    expect(await create([["a.wav", tone(1)]], {}, key)).toMatchObject({
      status: 403,
      body: { permissionHelp: { required: "voice:create" } },
    });
  });
  says("name is required", async () => expect((await create([["a.wav", tone(1)]], { name: "" })).status).toBe(400));
  says("files are required", async () => expect((await create([])).status).toBe(400));
  says("takes up to 10 files", async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, n): [string, Uint8Array] => [`${n}.wav`, tone(n)]);
    expect((await create(files(10))).body["data"].sampleCount).toBe(10);
    expect((await create(files(11))).status).toBe(400);
  });
  says("settings has stability, clarity and use_speaker_boost", async () => {
    const settings = JSON.stringify({ stability: 0.5, clarity: 0.8, use_speaker_boost: true });
    expect((await create([["a.wav", tone(1)]], { settings })).status).toBe(200);
  });
  says("answers success, the clone and a message", async () =>
    expect((await create([["a.wav", tone(1)]])).body).toMatchObject({
      success: true,
      data: {
        voiceId: expect.any(String),
        name: "Narrator",
        sampleCount: 1,
        createdAt: expect.stringMatching(isoInstant),
      },
      message: expect.any(String),
    }),
  );
  says("400 INVALID_FILE_FORMAT has details.supported_formats and details.rejected_files", async () =>
    expect(await create([["notes.txt", "not audio"]])).toMatchObject({
      status: 400,
      body: {
        code: "INVALID_FILE_FORMAT",
        details: { supported_formats: ["wav", "mp3", "m4a", "flac"], rejected_files: ["notes.txt"] },
      },
    }),
  );
  says("413 FILE_TOO_LARGE has details.max_size_mb and details.rejected_files with filename and size_mb", async () => {
    const large = Buffer.concat([tone(1), Buffer.alloc(50 * 1024 * 1024)]);
    expect(await create([["large.wav", new Uint8Array(large)]])).toMatchObject({
      status: 413,
      body: {
        code: "FILE_TOO_LARGE",
        details: { max_size_mb: 50, rejected_files: [{ filename: "large.wav", size_mb: expect.any(Number) }] },
      },
    });
  });
});

section("4.11 GET /voice-clones", (says) => {
  says("needs the permission voice:read", async () => {
    const key = await keyWith(service, ["voice:create"]);
    expect(await get("/voice-clones", key)).toMatchObject({
      status: 403,
      body: { permissionHelp: { required: "voice:read" } },
    });
  });
  says("takes the states processing, ready and failed", async () => {
    for (const status of ["processing", "ready", "failed"])
      expect((await get(`/voice-clones?status=${status}`)).status).toBe(200);
    expect((await get("/voice-clones?status=other")).status).toBe(400);
  });
  says("limit is an integer from 1 to 100", async () => {
    for (const limit of [0, 101]) expect((await get(`/voice-clones?limit=${limit}`)).status).toBe(400);
    for (const limit of [1, 100]) expect((await get(`/voice-clones?limit=${limit}`)).status).toBe(200);
  });
  says("total counts all clones of the user, whatever the filter", async () => {
    const { key } = await service.user();
    for (const seed of [1, 2])
      await ask(service, "POST", "/voice-clones", {
        key,
        form: cloneForm([[`${seed}.wav`, tone(seed)]], { name: `V${seed}` }),
      });
    const { data } = (await get("/voice-clones?status=ready&limit=1", key ?? "")).body;
    expect([data.voiceClones, data.total]).toEqual([[], 2]);
  });
});

section("4.12 PUT /voice-clones/{voiceId}", (says) => {
  says("needs the permission voice:update", async () => {
    const key = await keyWith(service, ["voice:read"]);
    const refused = await ask(service, "PUT", "/voice-clones/x", { key, json: {} });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "voice:update" } } });
  });
  says("changes name, description and settings", async () => {
    const { key } = await service.user();
    const { body } = await ask(service, "POST", "/voice-clones", { key, form: cloneForm([["a.wav", tone(1)]]) });
    const json = { name: "Other", description: "Warm", settings: { stability: 0.1 } };
    const changed = await ask(service, "PUT", `/voice-clones/${body["data"].voiceId}`, { key, json });
    expect(changed.body).toMatchObject({
      success: true,
      data: { name: "Other", description: "Warm", settings: { stability: 0.1 } },
    });
  });
});

section("4.13 POST /keys", (says) => {
  says("takes name, permissions and expiresInDays", async () =>
    expect((await post("/keys", { name: "CI", permissions: ["leads:read"], expiresInDays: 30 })).status).toBe(200),
  );
});

section("4.14 GET /keys", (says) => {
  says("lists keys", async () => expect((await get("/keys")).status).toBe(200));
});

section("4.15 PUT /keys/{keyId}", (says) => {
  says("changes name and permissions", async () => {
    const { id, key } = await keyAndId(service, ["leads:read"]);
    expect((await put(`/keys/${id}`, { name: "Renamed", permissions: ["voice:read"] })).status).toBe(200);
    const { apiKey } = (await get("/health", key)).body;
    expect(apiKey).toMatchObject({ name: "Renamed", permissions: ["voice:read"] });
  });
});

section("4.16 POST /keys/{key_id}/regenerate", (says) => {
  const regenerate = async () => {
    const made = await keyAndId(service, ["leads:read"]);
    const { body } = await ask(service, "POST", `/keys/${made.id}/regenerate`);
    return { made, body };
  };
  says("answers id, key, name, created_at and last_used_at (null)", async () => {
    const { made, body } = await regenerate();
    expect(body).toMatchObject({
      id: made.id,
      key: expect.any(String),
      name: "conformance",
      created_at: expect.stringMatching(isoInstant),
      last_used_at: null,
    });
  });
  says("key is a new value", async () => {
    const { made, body } = await regenerate();
    expect(body["key"]).not.toBe(made.key);
    expect((await get("/health", body["key"])).status).toBe(200);
  });
  says("the old key stops working immediately", async () => {
    const { made } = await regenerate();
    expect((await get("/health", made.key)).status).toBe(401);
  });
  says("created_at is the time of regeneration", async () => {
    const before = Date.now();
    const { body } = await regenerate();
    expect(Date.parse(body["created_at"])).toBeGreaterThanOrEqual(before - 1000);
  });
});

section("4.17 DELETE /keys/{keyId}", (says) => {
  says("needs the permission keys:manage", async () => {
    const key = await keyWith(service, ["leads:read"]);
    const refused = await ask(service, "DELETE", "/keys/x", { key });
    expect(refused).toMatchObject({ status: 403, body: { permissionHelp: { required: "keys:manage" } } });
  });
  says("answers success and a message that names the key", async () => {
    const { id } = await keyAndId(service, ["leads:read"]);
    const { body } = await ask(service, "DELETE", `/keys/${id}`);
    expect(body).toMatchObject({ success: true, message: expect.stringContaining("conformance") });
  });
  says("revokes the key at once", async () => {
    const { id, key } = await keyAndId(service, ["leads:read"]);
    await ask(service, "DELETE", `/keys/${id}`);
    expect((await get("/health", key)).status).toBe(401);
  });
  says("is permanent", async () => {
    const { id } = await keyAndId(service, ["leads:read"]);
    await ask(service, "DELETE", `/keys/${id}`);
    expect((await get("/keys")).text).not.toContain(id);
  });
});
