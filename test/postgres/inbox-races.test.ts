import { expect, test } from "bun:test";
import { createInboxStore } from "../../src/adapters/storage/postgres/inbox.ts";
import { createNetworkStore } from "../../src/adapters/storage/postgres/network.ts";
import type { Conversation } from "../../src/features/inbox/model.ts";
import type { News } from "../../src/features/network/contact-model.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { startOfTests } from "../support/clock.ts";
import { alwaysOpen } from "../support/factories.ts";
import { openNodes, type Nodes } from "../support/postgres-nodes.ts";

const ada = "https://network.example/in/ada";
const at = startOfTests;

async function withAccount({ first, make, workspaceId }: Nodes) {
  const account = make.account(workspaceId, { workingHours: alwaysOpen });
  await first.network.insertAccount(account);
  return { account, id: conversationId(account.id, ada) };
}

const wrote = (...ids: string[]): News => ({
  ...{ profileKey: ada, kind: "replied", at },
  messages: ids.map((id) => ({ id, at, text: `Text of ${id}` })),
});

async function only({ second, workspaceId }: Nodes): Promise<Conversation> {
  const found = await second.inbox.conversations({ workspaceId, filter: {}, limit: 9, after: null, now: at });
  expect(found).toHaveLength(1);
  return found[0]!;
}

test("two nodes that get the same news at the same time store each message once", async () => {
  await using nodes = await openNodes();
  const { second } = nodes;
  const { account, id } = await withAccount(nodes);
  await nodes.whileOpen(
    (engine) => createNetworkStore(engine).noteNews(account.id, [wrote("m1", "m2")], at),
    () => second.network.noteNews(account.id, [wrote("m2", "m3")], at),
  );
  expect(await only(nodes)).toMatchObject({ id, unread: 3 });
  const stored = await second.inbox.messages(nodes.workspaceId, id, 9, null);
  expect(new Set(stored.map(({ text }) => text))).toEqual(new Set(["Text of m1", "Text of m2", "Text of m3"]));
  expect(stored).toHaveLength(3);
  const { workspaceId } = nodes;
  const events = await second.events.page({
    ...{ scopes: [workspaceId], filter: { types: ["message.received"] } },
    ...{ after: null, before: null, newestFirst: false, limit: 9 },
  });
  expect(events.length).toBeLessThanOrEqual(3);
});

test("the same reply on two nodes is one action", async () => {
  await using nodes = await openNodes();
  const { second, make } = nodes;
  const { account } = await withAccount(nodes);
  const reply = () =>
    make.actionRequest(account, {
      action: {
        ...{ actionType: "sendMessage", message: "Yes", profileUrl: ada, isUrgent: true },
        targetKey: `${ada}#reply-1`,
      },
    });
  const outcome = await nodes.whileOpen(
    (engine) => createNetworkStore(engine).schedule(reply(), false),
    () => second.network.schedule(reply(), false),
  );
  expect(outcome.kind).toBe("existing");
  const { id } = await only(nodes);
  expect(await second.inbox.messages(nodes.workspaceId, id, 9, null)).toHaveLength(1);
});

test("a message that comes while the conversation is marked as read stays unread", async () => {
  await using nodes = await openNodes();
  const { second, workspaceId } = nodes;
  const { account, id } = await withAccount(nodes);
  await second.network.noteNews(account.id, [wrote("m1")], at);
  const change = { label: "interested", read: { readTo: null } } as const;
  const request = { workspaceId, id, change, suppressions: [], at, actorId: null };
  await nodes.whileOpen(
    (engine) => createInboxStore(engine).change(request),
    () => second.network.noteNews(account.id, [wrote("m2")], at),
  );
  expect(await only(nodes)).toMatchObject({ unread: 1, label: "interested" });
  await nodes.whileOpen(
    (engine) => createNetworkStore(engine).noteNews(account.id, [wrote("m3")], at),
    () => second.inbox.change({ ...request, change: { label: "later" } }),
  );
  expect(await only(nodes)).toMatchObject({ unread: 2, label: "later" });
});

test("a person who is labeled doNotContact while a reply is scheduled either gets it before, or never", async () => {
  await using nodes = await openNodes();
  const { first, second, make, workspaceId } = nodes;
  const { account, id } = await withAccount(nodes);
  await first.network.noteNews(account.id, [wrote("m1")], at);
  const entry = make.suppression(workspaceId, "profile", ada);
  const change = { label: "doNotContact" } as const;
  const reply = make.actionRequest(account, {
    action: { actionType: "sendMessage", message: "Yes", profileUrl: ada, isUrgent: true },
  });
  const outcome = await nodes.whileOpen(
    (engine) => createInboxStore(engine).change({ workspaceId, id, change, suppressions: [entry], at, actorId: null }),
    () => second.network.schedule(reply, false),
  );
  expect(outcome.kind).toBe("objected");
  expect(await only(nodes)).toMatchObject({ label: "doNotContact", unread: 1 });
});
