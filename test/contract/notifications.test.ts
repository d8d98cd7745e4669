import { describe, expect, test } from "bun:test";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

describe.each(enginesAndPostgres)("notifications on $name", ({ open }) => {
  async function arrange() {
    const opened = await open();
    const make = createFactories();
    const ada = await make.storedUser(opened.storage);
    const grace = await make.storedUser(opened.storage);
    return { opened, store: opened.storage.notifications, ada: ada.user.id, grace: grace.user.id };
  }

  test("what a member has read is theirs, and of one workspace", async () => {
    const { opened, store, ada, grace } = await arrange();
    await using _ = opened;
    expect(await store.readState(ada, ada)).toBeNull();
    const state = { readUntil: 7, alsoRead: [9, 12] };
    expect(await store.changeReadState(ada, ada, () => state)).toEqual(state);
    expect(await store.readState(ada, ada)).toEqual(state);
    expect(await store.readState(ada, grace)).toBeNull();
    expect(await store.readState(grace, ada)).toBeNull();
  });

  test("changes at the same time all count, the first ones too", async () => {
    const { opened, store, ada } = await arrange();
    await using _ = opened;
    const seen: (object | null)[] = [];
    const ids = Array.from({ length: 8 }, (_, index) => index + 1);
    await Promise.all(
      ids.map((id) =>
        store.changeReadState(ada, ada, (before) => {
          seen.push(before);
          const { readUntil, alsoRead } = before ?? { readUntil: 0, alsoRead: [] };
          return { readUntil, alsoRead: [...alsoRead, id] };
        }),
      ),
    );
    expect((await store.readState(ada, ada))?.alsoRead.toSorted()).toEqual(ids);
    expect(seen.filter((before) => before === null)).toHaveLength(1);
  });

  test("what the change throws leaves the state", async () => {
    const { opened, store, ada } = await arrange();
    await using _ = opened;
    const state = { readUntil: 3, alsoRead: [] };
    await store.changeReadState(ada, ada, () => state);
    const failing = store.changeReadState(ada, ada, () => {
      throw new Error("refused");
    });
    await expect(failing).rejects.toThrow("refused");
    expect(await store.readState(ada, ada)).toEqual(state);
  });
});
