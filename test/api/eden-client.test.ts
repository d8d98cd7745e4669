import { treaty } from "@elysiajs/eden";
import { afterAll, expect, test } from "bun:test";
import type { Api } from "outreachd/api";
import type { Client } from "../support/client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

/** A client whose types are those of the routes themselves. It can't be the value of a promise: it has every method. */
function clientOf({ key }: Client) {
  // Types say that instants are texts, and so they are.
  return treaty<Api>(service.url, { headers: { "x-api-key": key ?? "" }, parseDate: false }).api.v2;
}

test("a client that is derived from the type of the API stores, reads, changes and finds leads", async () => {
  const api = clientOf(await service.user());
  const { data: made } = await api.leads.post({ email: "ada@example.com", company: "Engines" });
  const id: string = made?.data.id ?? "";
  const createdAt: string = made?.data.createdAt ?? "";
  expect(createdAt).toMatch(/^\d{4}-.*Z$/);
  const { data: changed } = await api.leads({ leadId: id }).put({ title: "Countess" });
  expect(changed?.data.title).toBe("Countess");
  const { data: page } = await api.leads.get({ query: { email: "ada@example.com", limit: 5 } });
  expect(page?.data.leads.map(({ company }) => company)).toEqual(["Engines"]);
  const { data: scheduled } = await api.network.scheduleNetworkAction.post({
    actionType: "visitProfile",
    profileUrl: "https://network.example/in/ada",
  });
  const { data: job } = await api.users.jobs({ jobId: scheduled?.data.jobId ?? "" }).get();
  expect(job?.data.type).toBe("linkedin_action");
});

test("it is given refusals with their status, code and message", async () => {
  const api = clientOf(await service.user());
  const { data, error } = await api.leads({ leadId: "nothing" }).get();
  expect(data).toBeNull();
  if (error?.status !== 404) throw new Error("Expected a status that the type knows");
  expect(error.value.code).toBe("NOT_FOUND");
  expect(error.value.message).toBe("Lead nothing not found.");
});

/** Held against by the type checker; never run, as each would be refused. */
export async function wrongUses(): Promise<void> {
  const api = clientOf(await service.user());
  // @ts-expect-error: a number is no email address
  await api.leads.post({ email: 5 });
  // @ts-expect-error: there is no such choice
  await api.leads.post({ email: "ada@example.com" }, { query: { onDuplicate: "forget" } });
  // @ts-expect-error: the limit is a number
  await api.leads.get({ query: { limit: "all" } });
  // @ts-expect-error: an action has a type
  await api.network.scheduleNetworkAction.post({ profileUrl: "https://network.example/in/ada" });
  // @ts-expect-error: there is no such route
  await api.leads.everything.get();
  const { data } = await api.leads.get();
  // @ts-expect-error: leads have no such field
  expect(data?.data.leads[0]?.shoeSize).toBeUndefined();
}
