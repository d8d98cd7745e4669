import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { startService } from "../support/service.ts";
import { ask, cloneForm, isoInstant, keyAndId, section, tone, type Json } from "./support.ts";

setDefaultTimeout(120_000);
const service = await startService({ settings: { DEFAULT_CREDITS: 1000, CONNECTOR: "simulated" } });
afterAll(() => service[Symbol.asyncDispose]());

const lead = async (json: Json): Promise<Json> => (await ask(service, "POST", "/leads", { json })).body["data"];
const schedule = async (name: string): Promise<Json> => {
  const profileUrl = `https://network.example/in/${name}`;
  const json = { actionType: "sendConnectionRequest", profileUrl, message: "Hello" };
  return (await ask(service, "POST", "/network/scheduleNetworkAction", { json })).body;
};
const jobs = async (query = ""): Promise<Json[]> =>
  (await ask(service, "GET", `/users/jobs${query}`)).body["data"].jobs;

section("2.1 API key", (says) => {
  const create = async (json: Json): Promise<Json> => {
    const { body } = await ask(service, "POST", "/keys", { json: { name: "K", permissions: ["leads:read"], ...json } });
    return body["data"] ?? body;
  };
  says("id is a string", async () => expect((await create({})).id).toBeString());
  says("name is the descriptive name", async () => expect((await create({ name: "CRM sync" })).name).toBe("CRM sync"));
  says("key is returned when it is created", async () => expect((await create({})).key).toBeString());
  says("key is never shown again", async () => {
    const { key } = await create({});
    const { text } = await ask(service, "GET", "/keys");
    expect(text).not.toContain(key);
  });
  says("permissions is an array of strings", async () =>
    expect((await create({})).permissions).toEqual(["leads:read"]),
  );
  says("expiresInDays is sent on creation", async () => {
    const made = await ask(service, "POST", "/keys", {
      json: { name: "E", permissions: ["leads:read"], expiresInDays: 3 },
    });
    expect(made.status).toBe(200);
  });
  says("created_at is ISO 8601", async () => expect((await create({})).created_at).toMatch(isoInstant));
  says("last_used_at is null for a new key", async () => expect((await create({})).last_used_at).toBeNull());
  says("usageCount counts the uses of the key in health output", async () => {
    const { key } = await keyAndId(service, ["leads:read"]);
    const used = async () => (await ask(service, "GET", "/health", { key })).body["apiKey"].usageCount as number;
    const first = await used();
    expect(await used()).toBe(first + 1);
  });
});

section("2.2 Job", (says) => {
  says("id is a string", async () => {
    await schedule("job-fields");
    expect((await jobs())[0]?.["id"]).toBeString();
  });
  says("the type of a network action is linkedin_action", async () => {
    await schedule("job-type");
    expect((await jobs("?type=linkedin_action")).length).toBeGreaterThan(0);
  });
  says("the type of an enrichment is data_enrichment", async () => {
    await ask(service, "POST", "/enrich", { json: { leads: [{ email: "ada@engines.example" }] } });
    expect((await jobs("?type=data_enrichment")).length).toBeGreaterThan(0);
  });
  says("status is one of pending, running, completed, failed", async () => {
    for (const { status } of await jobs()) expect(["pending", "running", "completed", "failed"]).toContain(status);
  });
  says("createdAt is ISO 8601", async () => {
    for (const { createdAt } of await jobs()) expect(createdAt).toMatch(isoInstant);
  });
  says("completedAt is null while it is not complete", async () => {
    const pending = (await jobs()).filter(({ status }) => status === "pending" || status === "running");
    for (const { completedAt } of pending) expect(completedAt).toBeNull();
  });
  says("completedAt is ISO 8601 once it is complete", async () => {
    const ended = (await jobs()).filter(({ status }) => status === "completed");
    expect(ended.length).toBeGreaterThan(0);
    for (const { completedAt } of ended) expect(completedAt).toMatch(isoInstant);
  });
  says("message is a text", async () => {
    for (const { message } of await jobs()) expect(message).toBeString();
  });
  says("progress is a percentage from 0 to 100", async () => {
    for (const { progress } of await jobs()) expect(progress >= 0 && progress <= 100).toBe(true);
  });
  says("metadata of a network action has actionType, profileUrl and delay in milliseconds", async () => {
    for (const { metadata } of await jobs("?type=linkedin_action"))
      expect(metadata).toMatchObject({
        actionType: "sendConnectionRequest",
        profileUrl: expect.any(String),
        delay: expect.any(Number),
      });
  });
  says("metadata.delay stays a number after the message of the job was edited", async () => {
    await schedule("edited-delay");
    const [job] = await jobs("?type=linkedin_action");
    await ask(service, "PUT", `/users/jobs/editJobMessage/${job?.["id"]}`, { json: { message: "Noted" } });
    const after = (await jobs("?type=linkedin_action")).find(({ id }) => id === job?.["id"]);
    expect(after?.["metadata"].delay).toBeNumber();
  });
  says("metadata of an enrichment has batchSize and processed", async () => {
    const leads = [{ email: "one@engines.example" }, { email: "two@engines.example" }];
    await ask(service, "POST", "/enrich", { json: { leads } });
    const [job] = await jobs("?type=data_enrichment");
    expect(job?.["metadata"]).toMatchObject({ batchSize: 2, processed: 2 });
  });
  says(
    "statistics are total, pending, running, completed, failed as integers and successRate as a percentage",
    async () => {
      const { statistics, jobs: all } = (await ask(service, "GET", "/users/jobs")).body["data"];
      const counts = ["total", "pending", "running", "completed", "failed"].map((name) => statistics[name]);
      for (const count of counts) expect(count).toBeInteger();
      expect(counts.slice(1).reduce((sum, count) => sum + count)).toBe(statistics.total);
      expect(statistics.total).toBe(all.length);
      expect(statistics.successRate >= 0 && statistics.successRate <= 100).toBe(true);
    },
  );
});

section("2.3 Lead", (says) => {
  const texts = [
    "firstName",
    "lastName",
    "email",
    "company",
    "title",
    "phone",
    "networkUrl",
    "industry",
    "location",
    "source",
    "notes",
  ];
  const whole: Json = {
    ...Object.fromEntries(texts.map((name) => [name, `Some ${name}`])),
    ...{ email: "whole@engines.example", phone: "+44 20 7946 0000", networkUrl: "https://network.example/in/whole" },
    ...{ tags: ["vip"], customFields: { plan: "gold" } },
  };
  says("id is assigned by the service", async () => expect((await lead({ email: "id@x.example" })).id).toBeString());
  for (const name of texts)
    says(`${name} is stored and shown as a text`, async () => expect((await lead(whole))[name]).toBe(whole[name]));
  says("a new lead has status new", async () => expect((await lead({ email: "s@x.example" })).status).toBe("new"));
  for (const status of ["new", "contacted", "qualified", "converted", "unqualified"])
    says(`status may be ${status}`, async () => {
      const { id } = await lead({ email: "status@x.example" });
      const { body } = await ask(service, "PUT", `/leads/${id}`, { json: { status } });
      expect(body["data"].status).toBe(status);
    });
  says("tags is an array of strings", async () => expect((await lead(whole)).tags).toEqual(["vip"]));
  says("tags is an empty array for a new lead without them", async () =>
    expect((await lead({ email: "t@x.example" })).tags).toEqual([]),
  );
  says("customFields is an object", async () => expect((await lead(whole)).customFields).toEqual({ plan: "gold" }));
  says("customFields is an empty object for a new lead without them", async () =>
    expect((await lead({ email: "c@x.example" })).customFields).toEqual({}),
  );
  says("createdAt and updatedAt are ISO 8601", async () => {
    const { createdAt, updatedAt } = await lead({ email: "at@x.example" });
    expect([createdAt, updatedAt]).toEqual([expect.stringMatching(isoInstant), expect.stringMatching(isoInstant)]);
  });
});

section("2.4 Enrichment result", (says) => {
  const sent = { email: "grace@navy.example", firstName: "Grace", lastName: "Hopper", company: "Navy" };
  const result = async (): Promise<Json> => {
    await lead({ ...sent, title: "Rear Admiral", location: "Arlington", phone: "+1 202 555 0100" });
    const { body } = await ask(service, "POST", "/enrich", { json: { leads: [sent] } });
    return body["data"].enriched[0];
  };
  says("input is the lead as sent", async () => expect((await result()).input).toEqual(sent));
  says("enrichedData is an object", async () =>
    expect((await result()).enrichedData).toMatchObject({ title: "Rear Admiral" }),
  );
  says("confidence is a number from 0 to 1", async () => {
    const { confidence } = await result();
    expect(confidence >= 0 && confidence <= 1).toBe(true);
  });
  says("sources names the data providers", async () => {
    const { sources } = await result();
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(source).toBeString();
  });
  says("enrichedData has the fields of the specification, each with its type", async () => {
    const { enrichedData } = await result();
    const types: Record<string, (value: unknown) => boolean> = {
      ...Object.fromEntries(
        [
          "firstName",
          "lastName",
          "email",
          "phone",
          "networkUrl",
          "company",
          "title",
          "location",
          "experience",
          "bio",
        ].map((name) => [name, (value: unknown) => typeof value === "string"]),
      ),
      alternativeEmails: Array.isArray,
      skills: Array.isArray,
      companyInfo: (value) => typeof value === "object",
      socialProfiles: (value) => typeof value === "object",
    };
    for (const [name, value] of Object.entries(enrichedData)) expect(types[name]?.(value), name).toBe(true);
  });
  says("companyInfo has texts only", async () => {
    const { companyInfo } = (await result()).enrichedData;
    for (const value of Object.values(companyInfo)) expect(value).toBeString();
  });
});

section("2.5 Prospect", (says) => {
  const found = async (): Promise<Json> => {
    const csv =
      "First name,Last name,Email,Profile,Title,Company,Industry,Location,Company size,Technologies\n" +
      "Joan,Clarke,joan@park.example,https://network.example/in/joan,Analyst,Park,Government,London,1000+,Bombe;Colossus\n";
    const { body } = await ask(service, "POST", "/prospecting/import", {
      text: csv,
      headers: { "content-type": "text/csv" },
    });
    await service.ended(service.admin, body["data"].id);
    const search = await ask(service, "POST", "/prospecting/search", {
      json: { filters: { company: { industry: ["Government"] } } },
    });
    return search.body["data"].prospects[0];
  };
  says("has id, firstName, lastName, email, networkUrl, title, company, industry and location as texts", async () => {
    const prospect = await found();
    expect(prospect).toMatchObject({
      firstName: "Joan",
      lastName: "Clarke",
      email: "joan@park.example",
      title: "Analyst",
    });
    for (const name of ["id", "networkUrl", "company", "industry", "location"]) expect(prospect[name]).toBeString();
  });
  says("companySize is a range as a text, also one with a plus sign", async () =>
    expect((await found()).companySize).toBe("1000+"),
  );
  says("technologies is an array of strings", async () =>
    expect((await found()).technologies.toSorted()).toEqual(["Bombe", "Colossus"]),
  );
  says("confidence is a number from 0 to 1", async () => {
    const { confidence } = await found();
    expect(confidence >= 0 && confidence <= 1).toBe(true);
  });
});

section("2.6 Uploaded prospect", (says) => {
  const upload = (prospects: Json[]) => ask(service, "POST", "/network/upload-prospects", { json: { prospects } });
  const person = (name: string): Json => ({ name, network_url: `https://network.example/in/${name.toLowerCase()}` });
  says("name is required", async () => {
    const { status, body } = await upload([{ network_url: "https://network.example/in/no-name" }]);
    expect(status === 400 || body["uploaded_count"] === 0).toBe(true);
  });
  says("network_url is required", async () => {
    const { status, body } = await upload([{ name: "No Address" }]);
    expect(status === 400 || body["uploaded_count"] === 0).toBe(true);
  });
  for (const name of ["email", "company", "title", "notes"])
    says(`${name} is optional`, async () => {
      const value = name === "email" ? "optional@x.example" : "Something";
      const both = await upload([person(`Without${name}`), { ...person(`With${name}`), [name]: value }]);
      expect(both.body["uploaded_count"]).toBe(2);
    });
});

section("2.7 Voice clone", (says) => {
  const response = ask(service, "POST", "/voice-clones", {
    form: cloneForm(
      [
        ["a.wav", tone(1)],
        ["b.wav", tone(2)],
      ],
      { description: "Calm" },
    ),
  });
  const created = async (): Promise<Json> => JSON.parse((await response).text).data;
  const listed = async (): Promise<Json> => {
    const { voiceId } = await created();
    const { body } = await ask(service, "GET", "/voice-clones");
    return body["data"].voiceClones.find((clone: Json) => clone["voiceId"] === voiceId);
  };
  const updated = async (json: Json): Promise<Json> => {
    const { voiceId } = await created();
    return (await ask(service, "PUT", `/voice-clones/${voiceId}`, { json })).body["data"];
  };
  says("create shows voiceId, name, description, sampleCount and createdAt", async () =>
    expect(await created()).toMatchObject({
      voiceId: expect.any(String),
      name: "Narrator",
      description: "Calm",
      sampleCount: 2,
      createdAt: expect.stringMatching(isoInstant),
    }),
  );
  says("a list item has voiceId, name, description, createdAt, updatedAt, isActive, sampleCount and labels", async () =>
    expect(await listed()).toMatchObject({
      voiceId: expect.any(String),
      name: expect.any(String),
      description: "Calm",
      createdAt: expect.stringMatching(isoInstant),
      updatedAt: expect.stringMatching(isoInstant),
      isActive: expect.any(Boolean),
      sampleCount: 2,
      labels: expect.any(Object),
    }),
  );
  says("update shows id, name, description, status, settings, created_at and updated_at", async () =>
    expect(await updated({ name: "Renamed" })).toMatchObject({
      id: (await created())["voiceId"],
      name: "Renamed",
      description: "Calm",
      status: expect.stringMatching(/^(processing|ready|failed)$/),
      settings: expect.any(Object),
      created_at: expect.stringMatching(isoInstant),
      updated_at: expect.stringMatching(isoInstant),
    }),
  );
  says("settings has stability and clarity as numbers and use_speaker_boost as a boolean", async () =>
    expect((await updated({ settings: { stability: 0.4, clarity: 0.6, use_speaker_boost: false } })).settings).toEqual({
      stability: 0.4,
      clarity: 0.6,
      use_speaker_boost: false,
    }),
  );
  says("a failed clone reports an error message", async () => {
    const { voiceId, jobId } = await created();
    await service.ended(service.admin, jobId);
    const { body } = await ask(service, "GET", `/voice-clones/${voiceId}`);
    expect(body["data"]).toMatchObject({ status: "failed", errorMessage: expect.any(String) });
  });
});

section("2.8 Health report", (says) => {
  const health = async (): Promise<Json> => (await ask(service, "GET", "/health")).body;
  says("version is 2.0", async () => expect((await health()).version).toBe("2.0"));
  says("status is healthy, degraded or maintenance", async () =>
    expect(["healthy", "degraded", "maintenance"]).toContain((await health()).status),
  );
  says("authentication is user for a user-specific key", async () =>
    expect((await health()).authentication).toBe("user"),
  );
  says("user has id, email and role", async () =>
    expect((await health()).user).toMatchObject({
      id: expect.any(String),
      email: expect.any(String),
      role: expect.any(String),
    }),
  );
  says("apiKey has name, permissions and usageCount", async () =>
    expect((await health()).apiKey).toMatchObject({
      name: expect.any(String),
      permissions: expect.any(Array),
      usageCount: expect.any(Number),
    }),
  );
  says("timestamp is ISO 8601", async () => expect((await health()).timestamp).toMatch(isoInstant));
});
