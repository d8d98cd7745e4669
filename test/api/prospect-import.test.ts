import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { startService, succeeded } from "../support/service.ts";
import { api, imported, searched, names, directory } from "../support/prospecting-api.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 100_000 } });

afterAll(() => service[Symbol.asyncDispose]());

/** Written by other programs than ours, in Base64. */
const eastAsianLists = {
  shift_jis:
    "joGWvCyJ747QlrwslvCQRSyPio3dkm4NCo5Sk2ORvphZLIqUjq6J747Qg1SDk4N2g4sslZSStyyTjIuek3MNCo2yk6GCs4Ktgucsg2eDiINejqmTro7ULInbkrcsiKSSbYynDQo=",
  gb18030:
    "0NXD+yy5q8u+w/uzxizWsM67LLPHytANCs310KHD9yywosDvsM2wzSy+rcDtLLq81t0NCsW30fTEyMTILLuqzqosuaSzzMqmLMnu29oNCg==",
  "euc-kr": "wMy4pyzIuLvnuO0swffDpSzB9r+qDQqx6LnOvPYsu++8usD8wNosus7A5Sy8rb/vDQqzsrHDuc4sxKvEq7/ALLD6wOUswabB1g0K",
};

test("the same person in a second file is one prospect that knows more", async () => {
  const client = await directory(service);
  const more = `Email,LinkedIn URL,First Name,Last Name,Company,Phone,Technologies,Title
ADA@engines.example,,,,,+44 20 1234,Kafka,CTO
,http://uk.network.example/in/grace?trk=1,,,,,,SVP Engineering
,,joan,CLARKE,bletchley park,,,Director
new@example.com,,,,,,,
ada@engines.example,,,,,+44 20 1234,Kafka,CTO
`;
  const job = await imported(service, client, more);
  expect(job.metadata).toMatchObject({ rows: 5, created: 1, updated: 3, skipped: 1, failed: 0 });
  expect(await names(client, { technology: { using: ["kafka"] } })).toEqual(["Ada"]);
  expect(await names(client, { technology: { using: ["Salesforce"] } })).toEqual(["Ada"]);
  expect(await names(client, { person: { title: ["Director"] } })).toEqual(["Joan"]);
  expect(await names(client, { person: { title: ["Manager"] } })).toEqual([]);
  expect((await searched(client, {})).total).toBe(5);
  const { data } = await client.get<{ rows: object[] }>(`${api}/import/${job.id}/report`);
  expect(data.rows).toEqual([
    { row: 2, outcome: "updated", prospectId: expect.stringMatching(/^prs_/), errors: [] },
    { row: 3, outcome: "updated", prospectId: expect.stringMatching(/^prs_/), errors: [] },
    { row: 4, outcome: "updated", prospectId: expect.stringMatching(/^prs_/), errors: [] },
    { row: 6, outcome: "skipped", prospectId: expect.stringMatching(/^prs_/), errors: [] },
  ]);
  expect((await imported(service, client, more, { onDuplicate: "skip" })).metadata).toMatchObject({
    created: 0,
    updated: 0,
    skipped: 5,
  });
});

test("what a file says of companies goes to their people, those of before and those who come later", async () => {
  const client = await service.user();
  await imported(service, client, "Email,Company,Website\neve@acme.example,Acme Inc.,https://www.acme.example/about\n");
  const companies = `Company Name,Website,Industry,Employees,Revenue,Headquarters,Technologies
"ACME, Inc.",acme.example,Robotics,1200,$1M-$5M,"Oslo, Norway","Kafka;Go"
Globex,,Energy,20,,,
`;
  const job = await imported(service, client, companies);
  expect(job.metadata).toMatchObject({ rows: 2, created: 2, companies: 2, failed: 0 });
  await imported(
    service,
    client,
    "Email,Company,Industry\nmax@globex.example,globex,\numa@globex.example,Globex,Water\n",
  );
  const emails = async (filters: object) => (await searched(client, filters)).prospects.map(({ email }) => email);
  expect(
    await emails({
      company: { industry: ["Robotics"], size: ["1001-5000"], location: ["Norway"] },
      technology: { using: ["go"] },
    }),
  ).toEqual(["eve@acme.example"]);
  expect(await emails({ company: { size: ["11-50"] } })).toEqual(["max@globex.example", "uma@globex.example"]);
  expect(await emails({ company: { industry: ["Energy"] } })).toEqual(["max@globex.example"]);
  expect((await imported(service, client, companies)).metadata).toMatchObject({ created: 0, skipped: 2 });
});

test("a file of companies reaches their people on subdomains, whichever of the two comes first", async () => {
  const senators = `First Name,Last Name,Job Title,Company,Website
Maria,Cantwell,Senator,United States Senate,https://www.cantwell.senate.gov
Amy,Klobuchar,Senator,US Senate,https://www.klobuchar.senate.gov
Ada,Lovelace,Owner,Lovelace,https://ada.github.io
`;
  const chambers = `Company,Website,Industry
United States Senate,senate.gov,Government
GitHub,github.io,Software
`;
  const byName = ["Company,Industry\nUnited States Senate,Government\n", ["Maria"]] as const;
  const byDomain = ["Website,Industry\nhttps://senate.gov,Government\n", ["Amy", "Maria"]] as const;
  for (const [companies, found] of [[chambers, ["Amy", "Maria"]] as const, byName, byDomain])
    for (const files of [
      [senators, companies],
      [companies, senators],
    ]) {
      const client = await service.user();
      for (const file of files) expect((await imported(service, client, file)).metadata).toMatchObject({ failed: 0 });
      expect(await names(client, { company: { industry: ["Government"] } })).toEqual([...found]);
      expect(await names(client, { company: { industry: ["Software"] } })).toEqual([]);
    }
});

test("NDJSON is read as well, with lists, numbers and objects inside", async () => {
  const client = await service.user();
  const lines = [
    {
      email: "a@example.com",
      title: "Head of Sales",
      company: { name: "Nested", industry: "Retail", size: 300 },
      technologies: ["A, B", "C"],
    },
    { email: "b@example.com", revenue: { min: 3_000_000, max: 6_000_000 }, companySize: "11-50" },
    { company: "Only", domain: "only.example", revenue: 7_000_000 },
    { email: "c@example.com", phone: ["1", "2"] },
    5,
  ].map((line) => JSON.stringify(line));
  const job = await imported(service, client, [...lines, "{broken", ""].join("\n"), {}, "application/x-ndjson");
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 6, created: 4, companies: 1, failed: 2 } });
  expect((await searched(client, { technology: { using: ["a, b"] } })).prospects).toMatchObject([
    { email: "a@example.com", industry: "Retail", companySize: "201-500" },
  ]);
  expect((await searched(client, { company: { revenue: { min: 5_000_000 } } })).prospects).toMatchObject([
    { email: "b@example.com", revenue: { min: 2_000_000, max: 10_000_000 } },
  ]);
  const { data } = await client.get<{ rows: { row: number; errors: object[] }[] }>(`${api}/import/${job.id}/report`, {
    query: { outcome: "failed" },
  });
  expect(data.rows.map(({ row }) => row)).toEqual([5, 6]);
  expect((await searched(client, {})).prospects).toContainEqual(
    expect.objectContaining({ email: "c@example.com", phone: "1" }),
  );
});

test("columns that are not understood are named by the job of an import and of its dry run", async () => {
  const client = await service.user();
  const csv = "Email,Shoe Size,Hat,Pet,,Title\nada@example.com,38,M,Cat,,CTO\n";
  for (const dryRun of ["true", "false"]) {
    const job = await imported(service, client, csv, { dryRun, columns: JSON.stringify({ Pet: "ignore" }) });
    expect(job).toMatchObject({ status: "completed", metadata: { created: 1, ignoredColumns: ["Shoe Size", "Hat"] } });
    expect(job.message).toEndWith("Unrecognized columns: Shoe Size, Hat");
  }
  const lines = [
    '{"email":"b@example.com","hat":1}',
    '{"email":"c@example.com","experience":[],"pet":{"name":"Tom"}}',
  ].join("\n");
  const job = await imported(service, client, lines, {}, "application/x-ndjson");
  expect(job.metadata["ignoredColumns"]).toEqual(["hat", "pet.name"]);
  const known = await imported(service, client, "Email,Title\nd@example.com,CTO\n");
  expect(known.metadata).not.toHaveProperty("ignoredColumns");
});

test("people with a full name and a company are people, and their revenue is what the file says", async () => {
  const client = await service.user();
  const csv =
    "Full Name,Company,LinkedIn URL,Revenue,Level,Technologies\n" +
    "Ada Lovelace,Engines Ltd,https://network.example/in/ada,$1.250M,VP-Level,\"['E', 'F']\"\n";
  const job = await imported(service, client, csv);
  expect(job).toMatchObject({ metadata: { created: 1, companies: 0, failed: 0 } });
  const filters = { person: { seniority: ["VP"] }, technology: { usingAll: ["E", "F"] } };
  expect((await searched(client, filters)).prospects).toMatchObject([
    { firstName: "Ada", lastName: "Lovelace", company: "Engines Ltd", revenue: { min: 1_000_000, max: 2_000_000 } },
  ]);
});

test("a full name of one word beside a company is a person, who becomes a lead; a company's name is none", async () => {
  const client = await service.user();
  const rows = ["Name,Company,Title", "山田太郎,ソニー,CEO", "高圆圆,百度,CTO", "Suharto,Jakarta,President", "Acme,Acme Inc.,", "N/A,Acme,"];
  expect(await imported(service, client, rows.join("\n"))).toMatchObject({ metadata: { created: 3, failed: 2 } });
  expect(await imported(service, client, rows.join("\n"))).toMatchObject({ metadata: { created: 0, failed: 2 } });
  const { prospects } = await searched(client, {});
  const named = new Map(prospects.map((one) => [one.firstName, one]));
  expect([...named].map(([first, { lastName }]) => [first, lastName])).toEqual([
    ["太郎", "山田"], ["高圆圆", null], ["Suharto", null],
  ]);
  for (const first of ["太郎", "高圆圆"]) {
    const { id, lastName } = named.get(first)!;
    const { lead } = succeeded(await client.post<{ lead: LeadView }>(`${api}/prospects/${id}/lead`, {})).data;
    expect(lead).toMatchObject({ firstName: first, lastName });
    const lookUp = { leads: [{ firstName: first, ...(lastName !== null && { lastName }), company: lead.company }] };
    expect(succeeded(await client.post<object>("/api/v2/enrich", lookUp)).status).toBe(200);
  }
}); // prettier-ignore

test("a Japanese, a Chinese and a Korean list are read in their usual encodings", async () => {
  const client = await service.user();
  for (const [name, file] of Object.entries(eastAsianLists)) {
    const job = await imported(service, client, Buffer.from(file, "base64") as unknown as string);
    expect([name, job.metadata]).toMatchObject([name, { encoding: name, created: 2, failed: 0 }]);
  }
  expect(await names(client, {})).toEqual(["さくら", "太郎", "娜娜", "小明", "민", "민수"].toSorted());
});
