import { describe, expect, test } from "bun:test";
import type { ValuesRequest } from "../../src/features/leads/value-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("values of leads on $name", ({ open }) => {
  test("the most frequent come first, then those before others in the alphabet, whatever the case of ASCII letters", async () => {
    await using opened = await open();
    const { find, add } = await withUser(opened.storage);
    for (const company of ["Zed", "acme", "Acme", "Engines", null, "ACME"]) await add({ company });
    expect(await find({ kind: "field", field: "company" })).toEqual(["acme 3", "Engines 1", "Zed 1"]);
    expect(await find({ kind: "field", field: "company" }, "E")).toEqual(["acme 3", "Engines 1", "Zed 1"]);
    expect(await find({ kind: "field", field: "company" }, "ed")).toEqual(["Zed 1"]);
    expect(await find({ kind: "field", field: "company" }, "", 1)).toEqual(["acme 3"]);
  });

  test.each(["title", "industry", "location", "source"] as const)("of the field %s", async (field) => {
    await using opened = await open();
    const { find, add } = await withUser(opened.storage);
    await add({ [field]: "Österreich" });
    await add({ [field]: "100%" });
    expect(await find({ kind: "field", field }, "ÖST")).toEqual(["Österreich 1"]);
    expect(await find({ kind: "field", field }, "%")).toEqual(["100% 1"]);
  });

  test("tags have the spelling of a lead, and lists are apart from them", async () => {
    await using opened = await open();
    const { find, add } = await withUser(opened.storage);
    await add({ tags: ["Spring", "list:Berlin"] });
    await add({ tags: ["SPRING", "Äpfel"] });
    const tags = { kind: "tag", prefix: "list:", isIncluded: false } as const;
    expect(await find(tags)).toEqual(["SPRING 2", "Äpfel 1"]);
    expect(await find(tags, "Ä")).toEqual(["Äpfel 1"]);
    expect(await find({ ...tags, isIncluded: true })).toEqual(["list:Berlin 1"]);
    expect(await find({ ...tags, isIncluded: true }, "LIN")).toEqual(["list:Berlin 1"]);
    expect(await find({ ...tags, isIncluded: true }, "list")).toEqual([]);
  });

  test("custom fields have names, and values, which are texts, numbers, or booleans", async () => {
    await using opened = await open();
    const { find, add } = await withUser(opened.storage);
    await add({ customFields: { size: 50, "a.b\"'": true, list: [1] } });
    await add({ customFields: { size: "50", note: "size" } });
    await add({ customFields: { size: null, note: { size: 7 } } });
    expect(await find({ kind: "customFieldNames" })).toEqual(["size 3", "note 2", "a.b\"' 1", "list 1"]);
    expect(await find({ kind: "customFieldNames" }, "OT")).toEqual(["note 2"]);
    expect(await find({ kind: "customField", name: "size" })).toEqual(["50 2"]);
    expect(await find({ kind: "customField", name: "a.b\"'" })).toEqual(["true 1"]);
    expect(await find({ kind: "customField", name: "note" }, "SI")).toEqual(["size 1"]);
    expect(await find({ kind: "customField", name: "list" })).toEqual([]);
    expect(await find({ kind: "customField", name: "nothing" })).toEqual([]);
  });

  test("each workspace finds its own", async () => {
    await using opened = await open();
    const { add } = await withUser(opened.storage);
    const other = await withUser(opened.storage);
    await add({ company: "Ours", tags: ["ours"], customFields: { ours: 1 } });
    expect(await other.find({ kind: "field", field: "company" })).toEqual([]);
    expect(await other.find({ kind: "tag", prefix: "list:", isIncluded: false })).toEqual([]);
    expect(await other.find({ kind: "customFieldNames" })).toEqual([]);
    expect(await other.find({ kind: "customField", name: "ours" })).toEqual([]);
    const nobody = { workspaceId: "nobody", of: { kind: "field", field: "company" }, text: "", limit: 5 } as const;
    expect(await opened.storage.leads.values(nobody)).toEqual([]);
  });
});

const make = createFactories();

async function withUser(storage: Storage) {
  const { user } = await make.storedUser(storage);
  const find = async (of: ValuesRequest["of"], text = "", limit = 20) => {
    const values = await storage.leads.values({ workspaceId: user.id, of, text, limit });
    return values.map(({ value, leads }) => `${value} ${leads}`);
  };
  return { find, add: (content: object) => make.storedLead(storage, user.id, content) };
}
