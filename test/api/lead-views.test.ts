import { afterAll, expect, test } from "bun:test";
import type { SavedLeadViewView } from "../../src/features/leads/views/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());
const path = "/api/v2/leads/views";

const save = async (client: Client, view: object) => succeeded(await client.post<SavedLeadViewView>(path, view)).data;

test("a view is saved, listed, changed, and deleted", async () => {
  const client = await service.user();
  const filters = { tags: ["hot"], locationContains: ["Köln"], hasEmail: true };
  const view = await save(client, {
    name: " Hot \n",
    filters,
    columns: ["name", "customFields.size"],
    sort: "company",
  });
  expect(view).toMatchObject({ name: "Hot", filters, columns: ["name", "customFields.size"], sort: "company" });
  const listed = succeeded(await client.get<{ views: SavedLeadViewView[]; total: number }>(path)).data;
  expect(listed).toMatchObject({ views: [view], total: 1 });
  const changed = succeeded(
    await client.send<SavedLeadViewView>("PATCH", `${path}/${view.id}`, { body: { name: "Warm" } }),
  );
  expect(changed.data).toMatchObject({ name: "Warm", filters, sort: "company" });
  succeeded(await client.send("DELETE", `${path}/${view.id}`));
  expect(await client.send("DELETE", `${path}/${view.id}`)).toMatchObject({ status: 404 });
});

test.each<[what: string, view: object, path: string]>([
  ["no name", { name: " ", filters: {} }, "name"],
  ["a filter that the list refuses", { name: "x", filters: { relation: "friend" } }, "filters.relation"],
  ["an unknown filter", { name: "x", filters: { shoeSize: 4 } }, "filters.shoeSize"],
  ["an unknown column", { name: "x", filters: {}, columns: ["shoeSize"] }, "columns.0"],
  ["an unknown order", { name: "x", filters: {}, sort: "tags" }, "sort"],
])("%s is refused, with the field", async (_what, view, field) => {
  const refused = await (await service.user()).post(path, view);
  expect(refused).toMatchObject({ status: 400, details: { errors: [{ path: field }] } });
});
