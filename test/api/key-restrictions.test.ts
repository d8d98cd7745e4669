import { afterAll, expect, test } from "bun:test";
import type { KeyUsageView, KeyView, NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

const service = await startService({ settings: { TRUSTED_PROXIES: 1 } });
afterAll(() => service[Symbol.asyncDispose]());

async function keyWith(owner: Client, restrictions: object): Promise<{ client: Client; key: NewKeyView }> {
  const permissions = ["leads:read", "keys:manage", "api_keys:write"];
  const key = succeeded(
    await owner.post<NewKeyView>("/api/v2/keys", { name: "CRM", permissions, ...restrictions }),
  ).data;
  return { client: service.client(key.key, owner.userId), key };
}

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const leads = "/api/v2/leads";

test("a key that is limited to networks is refused elsewhere, with the address", async () => {
  const owner = await service.user();
  const { client, key } = await keyWith(owner, { allowedNetworks: ["203.0.113.0/24", "2001:DB8::/32"] });
  expect(key.allowedNetworks).toEqual(["203.0.113.0/24", "2001:db8::/32"]);
  expect((await client.get(leads, from("203.0.113.7"))).status).toBe(200);
  expect((await client.get(leads, from("2001:db8::7"))).status).toBe(200);
  const refused = await client.get(leads, from("198.51.100.7"));
  expect(refused).toMatchObject({ status: 403, code: "PERMISSION_DENIED", details: { address: "198.51.100.7" } });
  // No permission would help, not even all of them.
  expect(refused.body).toMatchObject({ permissionHelp: { required: "allowedNetworks", available: [] } });
  // What a client adds itself stands further to the left, and counts for nothing.
  expect((await client.get(leads, from("203.0.113.7, 198.51.100.7"))).status).toBe(403);
  succeeded(await owner.put(`/api/v2/keys/${key.id}`, { allowedNetworks: null }));
  expect((await client.get(leads, from("198.51.100.7"))).status).toBe(200);
});

test("a browser signs in with such a key, and stays signed in, only there", async () => {
  const { key } = await keyWith(await service.user(), { allowedNetworks: ["203.0.113.0/24"] });
  const signIn = (address: string) =>
    fetch(`${service.url}/app/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-outreachd-page": "1", "x-forwarded-for": address },
      body: JSON.stringify({ key: key.key }),
    });
  expect((await signIn("198.51.100.7")).status).toBe(403);
  const signedIn = await signIn("203.0.113.7");
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = async (address: string) =>
    (await fetch(service.url + leads, { headers: { cookie, "x-outreachd-page": "1", "x-forwarded-for": address } }))
      .status;
  expect([await ask("203.0.113.7"), await ask("198.51.100.7")]).toEqual([200, 403]);
});

test("a wrong network is refused by its place", async () => {
  const answer = await service.admin.post("/api/v2/keys", {
    ...{ name: "CRM", permissions: ["leads:read"], allowedNetworks: ["10.0.0.0/8", "10.0.0.0/99"] },
  });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.details)).toContain("allowedNetworks.1");
});

test("no restricted key makes a key that can do more", async () => {
  const owner = await service.user();
  const { client, key } = await keyWith(owner, { allowedNetworks: ["203.0.113.0/24"] });
  const make = (restrictions: object) =>
    client.post<NewKeyView>(
      "/api/v2/keys",
      { name: "x", permissions: ["leads:read"], ...restrictions },
      from("203.0.113.7"),
    );
  expect(succeeded(await make({})).data.allowedNetworks).toEqual(["203.0.113.0/24"]);
  expect((await make({ allowedNetworks: ["203.0.113.64/26"] })).status).toBe(200);
  expect((await make({ allowedNetworks: ["203.0.112.0/23"] })).status).toBe(403);
  expect((await client.put(`/api/v2/keys/${key.id}`, { allowedNetworks: null }, from("203.0.113.7"))).status).toBe(403);
});

test("a key with rate limits of its own is refused when they are used up, and no other key is", async () => {
  await using limited = await startService({ settings: { RATE_LIMIT_MINUTE: "1000" } });
  const owner = await limited.user();
  const make = async (restrictions: object) => {
    const input = { name: "CRM", permissions: ["leads:read"], ...restrictions };
    return succeeded(await owner.post<NewKeyView>("/api/v2/keys", input)).data;
  };
  const key = await make({ rateLimits: { minute: 3, day: 100 } });
  const client = limited.client(key.key, owner.userId);
  for (let n = 0; n < 3; n++) expect((await client.get(leads)).status).toBe(200);
  const refused = await client.get(leads);
  expect(refused).toMatchObject({ status: 429, details: { limit: 3 } });
  expect(refused.headers.get("ratelimit-policy")).toBe('"minute";q=3;w=60, "day";q=100;w=86400');
  expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
  const other = limited.client((await make({})).key, owner.userId);
  expect((await other.get(leads)).headers.get("x-ratelimit-limit")).toBe("1000");
  const manager = await make({ permissions: ["leads:read", "keys:manage"], rateLimits: { minute: 50 } });
  const managing = limited.client(manager.key, owner.userId);
  expect((await managing.post("/api/v2/keys", { name: "x", permissions: ["leads:read"] })).status).toBe(403);
  expect((await managing.put(`/api/v2/keys/${manager.id}`, { rateLimits: null })).status).toBe(403);
  expect((await managing.put(`/api/v2/keys/${manager.id}`, { rateLimits: { minute: 9 } })).status).toBe(200);
});

testInProcess("requests are counted by day", async () => {
  const clock = new FakeClock();
  await using timed = await startService({ clock });
  const owner = await timed.user();
  const { id } = succeeded(await owner.get<{ keys: KeyView[] }>("/api/v2/keys")).data.keys[0]!;
  const usage = async (days: number) =>
    succeeded(await owner.get<KeyUsageView>(`/api/v2/keys/${id}/usage`, { query: { days } })).data.days;
  const first = await usage(1);
  expect(first).toHaveLength(1);
  clock.advance(2 * 86_400_000);
  for (let n = 0; n < 4; n++) await owner.get(leads);
  const days = await usage(3);
  expect(days.map(({ requests }) => requests)).toEqual([2, 0, 5]);
  expect(days[0]?.date).toBe(first[0]?.date);
  expect((await owner.get(`/api/v2/keys/${id}/usage`, { query: { days: 91 } })).status).toBe(400);
  const stranger = await timed.user();
  expect((await stranger.get(`/api/v2/keys/${id}/usage`)).status).toBe(404);
});
