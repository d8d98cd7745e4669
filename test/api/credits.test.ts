import { afterAll, expect, test } from "bun:test";
import type { CreditBudgetView, CreditsView, LedgerEntryView } from "../../src/features/credits/model.ts";
import type { KeyView } from "../../src/platform/auth/key-model.ts";
import type { Client } from "../support/client.ts";
import { startService } from "../support/service.ts";

const service = await startService({ settings: { DEFAULT_CREDITS: 40, MONTHLY_CREDITS: 25, CREDITS_PER_PROSPECT: 3 } });
afterAll(() => service[Symbol.asyncDispose]());

const path = "/api/v2/credits";
type Page = { entries: LedgerEntryView[]; nextCursor: string | null };

test("a user sees the balance, what things cost and every movement", async () => {
  const ada = await service.user();
  await service.admin.post(`/api/v2/users/${ada.userId}/credits`, { amount: 5, note: "birthday" });
  const { data } = await ada.get<CreditsView>(path);
  expect(data).toEqual({
    balance: 45,
    reserved: 0,
    monthlyGrant: 25,
    costs: { enrichment: 1, search: 3 },
    budget: null,
  });
  const ledger = await ada.get<Page>(`${path}/ledger`);
  expect(ledger.data.nextCursor).toBeNull();
  expect(ledger.data.entries).toMatchObject([
    { kind: "grant", amount: 5, note: "birthday", request: null, item: null, purpose: null, keyId: null },
    { kind: "grant", amount: 40, note: "Initial grant" },
  ]);
  const first = await ada.get<Page>(`${path}/ledger`, { query: { limit: 1 } });
  const second = await ada.get<Page>(`${path}/ledger`, { query: { limit: 1, cursor: first.data.nextCursor ?? "" } });
  expect([...first.data.entries, ...second.data.entries]).toEqual(ledger.data.entries);
  expect((await ada.get<Page>(`${path}/ledger`, { query: { kind: "settle" } })).data.entries).toEqual([]);
});

test("nobody sees the ledger of somebody else", async () => {
  const ada = await service.user();
  const bob = await service.user();
  await service.admin.post(`/api/v2/users/${bob.userId}/credits`, { amount: 5 });
  expect((await ada.get<Page>(`${path}/ledger`)).data.entries).toHaveLength(1);
});

test("an admin corrects a balance, never below zero", async () => {
  const ada = await service.user();
  const adjust = (amount: number, by = service.admin) =>
    by.post<{ userId: string; balance: number }>(`/api/v2/users/${ada.userId}/credits/adjust`, {
      amount,
      note: "mistake",
    });
  expect((await adjust(-40)).data).toEqual({ userId: ada.userId, balance: 0 });
  expect(await adjust(-1)).toMatchObject({ status: 409, code: "CONFLICT", details: { balance: 0 } });
  expect((await adjust(7)).data.balance).toBe(7);
  expect(await adjust(0)).toMatchObject({ status: 400, details: { errors: [{ path: "amount" }] } });
  expect(await adjust(5, ada)).toMatchObject({ status: 403 });
});

test("a refund names a charge that was made", async () => {
  const ada = await service.user();
  const body = { request: "nothing", item: "0" };
  const refund = `/api/v2/users/${ada.userId}/credits/refund`;
  expect(await service.admin.post(refund, body)).toMatchObject({ status: 404, details: { resource: "charge" } });
  expect(await service.admin.post("/api/v2/users/nobody/credits/refund", body)).toMatchObject({ status: 404 });
  expect(await ada.post(refund, body)).toMatchObject({ status: 403 });
});

test("a key has a budget as long as its owner wants it to", async () => {
  const ada = await service.user();
  const bob = await service.user();
  const { data: key } = await ada.post<{ id: string; key: string }>("/api/v2/keys", {
    name: "CRM",
    permissions: ["leads:enrich"],
  });
  const budget = `${path}/budgets/${key.id}`;
  expect((await ada.get(budget)).data).toBeNull();
  const set = await ada.put<CreditBudgetView>(budget, { monthly: 10 });
  expect(set.data).toEqual({ keyId: key.id, monthly: 10, used: 0, remaining: 10 });
  expect((await ada.get<CreditBudgetView>(budget)).data).toEqual(set.data);
  expect((await service.client(key.key).get<CreditsView>(path)).data.budget).toEqual(set.data);
  expect(await bob.put(budget, { monthly: 1 })).toMatchObject({ status: 404, details: { resource: "key" } });
  expect(await ada.put(budget, { monthly: -1 })).toMatchObject({ status: 400 });
  expect(await ada.put(budget, {})).toMatchObject({ status: 400, details: { errors: [{ path: "monthly" }] } });
  expect((await ada.put(budget, { monthly: null })).data).toBeNull();
});

test("an admin sets the budget of a colleague's key, not that of a global one; a colleague of an admin does neither", async () => {
  const ada = await service.user();
  const budget = `${path}/budgets/${await keyIdOf(ada)}`;
  const set = await service.admin.put<CreditBudgetView>(budget, { monthly: 7 });
  expect(set.data).toMatchObject({ monthly: 7, remaining: 7 });
  expect((await ada.get<CreditBudgetView>(budget)).data).toEqual(set.data);
  expect((await service.admin.get<CreditBudgetView>(budget)).data).toEqual(set.data);
  const ofAdmin = `${path}/budgets/${await keyIdOf(service.admin)}`;
  expect((await ada.put(ofAdmin, { monthly: 0 })).status).toBe(404);
  const global = await service.globalKey();
  const ofGlobal = `${path}/budgets/${await keyIdOf(global, ({ name }) => name === "global")}`;
  expect((await service.admin.put(ofGlobal, { monthly: 0 })).status).toBe(404);
  expect((await global.put<CreditBudgetView>(budget, { monthly: 8 })).data.monthly).toBe(8);
});

test("what an admin has set the owner of the key can lower, but not lift beyond that or take away", async () => {
  const ada = await service.user();
  const limited = await ada.post<{ id: string }>("/api/v2/keys", { name: "limited", permissions: ["leads:enrich"] });
  const budget = `${path}/budgets/${limited.data.id}`;
  await ada.put(budget, { monthly: 20 });
  expect((await ada.put<CreditBudgetView>(budget, { monthly: 30 })).data.monthly).toBe(30);
  await service.admin.put(budget, { monthly: 7 });
  for (const monthly of [8, null])
    expect(await ada.put(budget, { monthly })).toMatchObject({
      status: 403,
      code: "PERMISSION_DENIED",
      message: expect.stringContaining("to 7 credits per month"),
      details: { ceiling: 7 },
    });
  for (const monthly of [3, 7]) {
    expect((await ada.put<CreditBudgetView>(budget, { monthly })).data.monthly).toBe(monthly);
    expect((await ada.put(budget, { monthly: null })).status).toBe(403);
  }
  expect((await service.admin.put(budget, { monthly: null })).data).toBeNull();
  expect((await ada.put<CreditBudgetView>(budget, { monthly: 9 })).data.monthly).toBe(9);
  expect((await ada.put(budget, { monthly: null })).data).toBeNull();
});

/** Of one of the keys that the client can see. */
async function keyIdOf(client: Client, wanted: (key: KeyView) => boolean = () => true): Promise<string> {
  const { data } = await client.get<{ keys: KeyView[] }>("/api/v2/keys");
  return data.keys.find(wanted)!.id;
}
