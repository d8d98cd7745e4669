import { expect } from "bun:test";
import type { ConversationView, MessageView } from "../../src/features/inbox/model.ts";
import { atWork, minute } from "../support/network-api.ts";
import { succeeded, testInProcess } from "../support/service.ts";

const inbox = "/api/v2/inbox/conversations";
const chore = "delete old texts of messages";
const day = 24 * 60 * minute;

async function withMessages(settings: Record<string, string>) {
  const world = await atWork({ settings: { CONNECTOR: "simulated", ...settings } });
  const report = async (id: string, text: string) => {
    const at = new Date(world.clock.now()).toISOString();
    const messages = [{ id, direction: "incoming", at, text }];
    const news = { profileUrl: "https://network.example/in/ada", event: "messages", messages };
    succeeded(await world.user.post("/api/v2/network/contacts/events", news));
  };
  await report("m1", "Old and secret");
  world.clock.advance(2 * day);
  await report("m2", "New");
  return {
    world,
    async texts() {
      const { conversations } = succeeded(await world.user.get<{ conversations: ConversationView[] }>(inbox)).data;
      const path = `${inbox}/${conversations[0]!.id}/messages`;
      const { messages } = succeeded(await world.user.get<{ messages: MessageView[] }>(path)).data;
      return messages.map(({ text, at }) => [text, at?.slice(0, 10)]);
    },
    async found(q: string) {
      const answer = await world.user.get<{ conversations: ConversationView[] }>(inbox, { query: { q } });
      return succeeded(answer).data.conversations.length;
    },
  };
}

testInProcess("OUTREACHD_MESSAGE_DAYS deletes texts past it, and keeps when they were received", async () => {
  const { world, texts, found } = await withMessages({ MESSAGE_DAYS: "3" });
  await using _ = world;
  await world.service.chore(chore);
  expect(await texts()).toEqual([
    ["New", "2026-01-07"],
    ["Old and secret", "2026-01-05"],
  ]);
  world.clock.advance(day + minute);
  await world.service.chore(chore);
  expect(await texts()).toEqual([
    ["New", "2026-01-07"],
    [null, "2026-01-05"],
  ]);
  expect([await found("secret"), await found("new")]).toEqual([0, 1]);
});

testInProcess("without OUTREACHD_MESSAGE_DAYS, texts are retained", async () => {
  const { world, texts } = await withMessages({});
  await using _ = world;
  world.clock.advance(60 * day);
  await world.service.chore(chore);
  expect((await texts()).map(([text]) => text)).toEqual(["New", "Old and secret"]);
});
