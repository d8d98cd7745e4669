import { describe, expect, test } from "bun:test";
import type { ActionType } from "../../src/features/network/action-kinds.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { alwaysOpen, createFactories } from "../support/factories.ts";

const hour = 3_600_000;
const bounds = [0, 10, 20, 30].map((n) => startOfTests + n * hour);
const nothing = { invites: 0, messages: 0, accepted: 0, replied: 0 };

describe.each(enginesAndPostgres)("statistics on $name", ({ open }) => {
  async function arrange() {
    const opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const workspaceId = (await make.storedUser(storage)).user.id;
    const account = make.account(workspaceId, { workingHours: alwaysOpen });
    await storage.network.insertAccount(account);
    const done = async (hours: number, name: string, actionType: ActionType = "sendConnectionRequest") => {
      const profileUrl = `https://network.example/in/${name}`;
      const slotAt = startOfTests + hours * hour;
      const action = { profileUrl, actionType, targetKey: `${profileUrl} ${actionType}`, state: "completed", slotAt };
      await storage.network.record(
        make.actionRequest(account, { action: { ...action, state: "completed" }, job: { status: "completed" } }),
        null,
      );
    };
    const news = (hours: number, name: string, kind: "accepted" | "replied") => {
      const at = startOfTests + hours * hour;
      const item = { profileKey: `https://network.example/in/${name}`, kind, at };
      return storage.network.noteNews(account.id, [item], at);
    };
    return { opened, make, storage, workspaceId, account, done, news };
  }

  test("what was sent counts in the interval that it was sent in, whatever the message was", async () => {
    const { opened, storage, workspaceId, done } = await arrange();
    await using _ = opened;
    await done(-1, "before");
    await done(0, "ada");
    await done(9.99, "grace");
    await done(10, "alan");
    await done(11, "ada", "sendMessage");
    await done(29, "grace", "sendInMail");
    await done(12, "ada", "visitProfile");
    await done(30, "behind");
    expect(await storage.statistics.activity(workspaceId, bounds)).toEqual([
      { ...nothing, invites: 2 },
      { ...nothing, invites: 1, messages: 1 },
      { ...nothing, messages: 1 },
    ]);
  });

  test("invitations that were accepted, and people who wrote, each once per interval", async () => {
    const { opened, storage, workspaceId, done, news } = await arrange();
    await using _ = opened;
    for (const name of ["ada", "grace"]) await done(0, name);
    await news(5, "ada", "accepted");
    await news(15, "grace", "accepted");
    await news(6, "ada", "replied");
    await news(7, "ada", "replied");
    await news(16, "ada", "replied");
    await news(17, "grace", "replied");
    expect(await storage.statistics.activity(workspaceId, bounds)).toEqual([
      { ...nothing, invites: 2, accepted: 1, replied: 1 },
      { ...nothing, accepted: 1, replied: 2 },
      nothing,
    ]);
    expect(await storage.statistics.activity(workspaceId, [bounds[0]!, bounds[3]!])).toEqual([
      { ...nothing, invites: 2, accepted: 2, replied: 2 },
    ]);
  });

  test("workspaces are apart, and one without accounts has nothing", async () => {
    const { opened, make, storage, done } = await arrange();
    await using _ = opened;
    await done(0, "ada");
    const other = await make.storedUser(storage);
    expect(await storage.statistics.activity(other.workspace.id, bounds)).toEqual([nothing, nothing, nothing]);
  });
});
