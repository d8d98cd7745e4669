import { afterAll, expect, test } from "bun:test";
import type { ConversationView, MessageView, SnippetView, UnreadCounts } from "../../src/features/inbox/model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { EventView } from "../../src/platform/events/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Client } from "../support/client.ts";
import { accountOf, atWork, changeAccount, errorPaths, minute, schedule, scripted } from "../support/network-api.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import { addMember } from "../support/team.ts";

const service = await startService({ settings: { CONNECTOR: "manual" } });
afterAll(() => service[Symbol.asyncDispose]());

const inbox = "/api/v2/inbox";
const profileOf = (name: string) => `https://network.example/in/${name}`;

async function write(client: Client, name: string, text: string, more: object = {}): Promise<void> {
  const news = { profileUrl: profileOf(name), event: "replied", text, ...more };
  succeeded(await client.post("/api/v2/network/contacts/events", news));
}

async function conversations(client: Client, query: Record<string, string> = {}): Promise<ConversationView[]> {
  const { data } = succeeded(
    await client.get<{ conversations: ConversationView[] }>(`${inbox}/conversations`, { query }),
  );
  return data.conversations;
}

async function messagesOf(client: Client, { id }: { id: string }): Promise<MessageView[]> {
  const path = `${inbox}/conversations/${id}/messages`;
  return succeeded(await client.get<{ messages: MessageView[] }>(path)).data.messages;
}

type Reply = { message: MessageView; isNew: boolean };
const reply = (client: Client, { id }: { id: string }, body: object) =>
  client.post<Reply>(`${inbox}/conversations/${id}/reply`, body);

async function withReply(client: Client, name = "ada", text = "Tell me more!"): Promise<ConversationView> {
  await write(client, name, text);
  return (await conversations(client)).find(({ profileUrl }) => profileUrl === profileOf(name))!;
}

test("a reply that somebody reports is a conversation, with the name of the lead", async () => {
  const user = await service.user();
  await user.post<LeadView>("/api/v2/leads", { networkUrl: profileOf("ada"), firstName: "Ada", lastName: "Lovelace" });
  const conversation = await withReply(user);
  expect(conversation).toMatchObject({
    ...{ personName: "Ada Lovelace", unread: 1, label: null, assignedTo: null },
    lastMessage: { state: "received", text: "Tell me more!" },
  });
  expect(await messagesOf(user, conversation)).toMatchObject([
    { direction: "incoming", kind: "message", state: "received", text: "Tell me more!", status: null },
  ]);
  expect(succeeded(await user.get<UnreadCounts>(`${inbox}/unread`)).data).toEqual({
    ...{ total: 1, mine: 0, unassigned: 1 },
  });
});

test("a lead who writes first is that lead: found by it, and addressed by name", async () => {
  const user = await service.user();
  const { data: ada } = succeeded(
    await user.post<LeadView>("/api/v2/leads", { networkUrl: `${profileOf("ada")}/`, firstName: "Ada" }),
  );
  const conversation = await withReply(user);
  expect(conversation.leadId).toBe(ada.id);
  expect((await conversations(user, { leadId: ada.id })).map(({ id }) => id)).toEqual([conversation.id]);
  const found = await user.get<{ leads: LeadView[] }>("/api/v2/leads", { query: { relation: "replied" } });
  expect(succeeded(found).data.leads.map(({ id }) => id)).toEqual([ada.id]);
  const answer = succeeded(await reply(user, conversation, { message: "Hello {{firstName}}!" }));
  expect(answer.data.message.text).toBe("Hello Ada!");
});

test("lists and conversations show the reply that waits to be sent, next to what the person wrote", async () => {
  const user = await service.user();
  const conversation = await withReply(user);
  expect(conversation.queuedMessage).toBeNull();
  await changeAccount(user, { state: "paused" });
  const { message } = succeeded(await reply(user, conversation, { message: "Gladly! ".repeat(50) })).data;
  const queuedMessage = {
    ...{ id: message.id, kind: "message", text: message.text?.slice(0, 160), campaignId: null },
    ...{ scheduledFor: null, status: "Waiting because the account is paused", userId: message.userId },
  };
  const expected = { lastMessage: { state: "received", text: "Tell me more!" }, queuedMessage };
  expect(await conversations(user)).toMatchObject([expected]);
  const path = `${inbox}/conversations/${conversation.id}`;
  expect(succeeded(await user.get<ConversationView>(path)).data).toMatchObject(expected);
  expect(succeeded(await user.patch<ConversationView>(path, { isRead: true })).data).toMatchObject(expected);
  const action = await user.get<ActionView>(`/api/v2/network/actions/${message.id}`);
  expect(succeeded(action).data).toMatchObject({ isReply: true, state: "scheduled", scheduledFor: null });
  succeeded(await user.post(`/api/v2/network/actions/${message.id}/cancel`));
  expect(await conversations(user)).toMatchObject([{ ...expected, queuedMessage: null }]);
});

test("a stranger is found by handle and by profile URL", async () => {
  const user = await service.user();
  const { id } = await withReply(user, "ada-lovelace-42");
  await write(user, "grace", "Hello");
  const found = async (q: string) => (await conversations(user, { q })).map((each) => each.id);
  for (const q of ["ada-lovelace-42", " Ada-Lovelace", "https://www.network.example/in/ada-lovelace-42/?trk=1"])
    expect({ q, found: await found(q) }).toEqual({ q, found: [id] });
  for (const q of ["lovelace-42", "ada-lovelace-43"]) expect({ q, found: await found(q) }).toEqual({ q, found: [] });
});

test("a person who becomes a lead after writing is addressed by name", async () => {
  const user = await service.user();
  const conversation = await withReply(user);
  expect(conversation.leadId).toBeNull();
  const { data: ada } = succeeded(
    await user.post<LeadView>("/api/v2/leads", { networkUrl: profileOf("ada"), firstName: "Ada" }),
  );
  const read = await user.get<ConversationView>(`${inbox}/conversations/${conversation.id}`);
  expect(succeeded(read).data.leadId).toBe(ada.id);
  const answer = succeeded(await reply(user, conversation, { message: "Hello {{firstName}}!" }));
  expect(answer.data.message.text).toBe("Hello Ada!");
  expect((await conversations(user, { leadId: ada.id })).map(({ id }) => id)).toEqual([conversation.id]);
});

test("texts are stored as they were written: any script, any direction, HTML, and emoji", async () => {
  const user = await service.user();
  const texts = ["<img src=x onerror=alert(1)>", "שלום, מה שלומך?", "a\u200bb", "👩‍👩‍👧‍👦".repeat(700)];
  for (const [n, text] of texts.entries()) await write(user, `person-${n}`, text, { at: "2026-01-05T08:00:00Z" });
  const stored = await Promise.all(
    (await conversations(user)).map(async (each) => (await messagesOf(user, each))[0]!.text),
  );
  expect(new Set(stored)).toEqual(new Set(texts));
});

test("a reply without visible characters is refused as empty", async () => {
  const user = await service.user();
  const conversation = await withReply(user);
  const blank = [
    "",
    " \n",
    "\u200b\u200d",
    "\ufeff",
    "\u2060 \u00ad",
    "\u3164",
    "\u2800",
    "\u202e\u200f",
    "{{firstName|\u200b}}",
  ];
  for (const message of blank) {
    const refused = await reply(user, conversation, { message });
    expect({ message, status: refused.status, paths: errorPaths(refused) }).toEqual({
      ...{ message, status: 400, paths: ["message"] },
    });
  }
  const refused = await user.post(`${inbox}/snippets`, { name: "Nothing", text: "\u200b" });
  expect(errorPaths(refused)).toEqual(["text"]);
  expect(await messagesOf(user, conversation)).toHaveLength(1);
});

test("the same reply that is reported twice counts once", async () => {
  const user = await service.user();
  const conversation = await withReply(user, "ada", "ok");
  await write(user, "ada", "ok");
  await write(user, "ada", " ok\n");
  expect(await messagesOf(user, conversation)).toHaveLength(1);
  await write(user, "ada", "ok", { at: "2026-01-01T00:00:00Z" });
  expect(await messagesOf(user, conversation)).toHaveLength(2);
});

test("a text of 10 MB is refused, and one that is longer than the network allows names the limit", async () => {
  const user = await service.user();
  const conversation = await withReply(user);
  expect((await reply(user, conversation, { message: "x".repeat(10_000_000) })).status).toBe(413);
  // Counted in UTF-16 units, as the network counts.
  const tooLong = await reply(user, conversation, { message: "😀".repeat(4001) });
  expect(tooLong).toMatchObject({ status: 400, message: expect.stringContaining("at most 8000 characters") });
  expect(errorPaths(tooLong)).toEqual(["message"]);
  expect((await reply(user, conversation, { message: "😀".repeat(4000) })).status).toBe(200);
});

test("a change names the field that is wrong", async () => {
  const user = await service.user();
  const { id } = await withReply(user);
  const change = (body: object) => user.patch<ConversationView>(`${inbox}/conversations/${id}`, body);
  for (const [body, path] of [
    [{ label: "maybe" }, "label"],
    [{ assignedTo: "nobody" }, "assignedTo"],
    [{ snoozedUntil: "2020-01-01T00:00:00Z" }, "snoozedUntil"],
    [{ readTo: "x" }, "readTo"],
  ] as const)
    expect({ body, paths: errorPaths(await change(body)) }).toEqual({ body, paths: [path] });
  expect((await user.get(`${inbox}/conversations/nothing`)).status).toBe(404);
  expect(succeeded(await change({ assignedTo: "me", label: "interested", isRead: true })).data).toMatchObject({
    ...{ assignedTo: user.userId, label: "interested", unread: 0 },
  });
});

test("the label doNotContact blocks the person, and with them every reply", async () => {
  const user = await service.user();
  const conversation = await withReply(user);
  const path = `${inbox}/conversations/${conversation.id}`;
  succeeded(await user.patch(path, { label: "doNotContact" }));
  const check = await user.post<{ doNotContact: boolean }>("/api/v2/suppressions/check", {
    networkUrl: conversation.profileUrl,
  });
  expect(succeeded(check).data.doNotContact).toBe(true);
  expect(await reply(user, conversation, { message: "Sorry" })).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
  succeeded(await user.patch(path, { label: null }));
  expect((await reply(user, conversation, { message: "Sorry" })).code).toBe("DO_NOT_CONTACT");
  expect(await messagesOf(user, conversation)).toHaveLength(1);
});

test("conversations are searched by text and name, and belong to their workspace", async () => {
  const [user, stranger] = [await service.user(), await service.user()];
  await withReply(user, "ada", "Könnten wir telefonieren?");
  await withReply(user, "grace", "No, thank you");
  const names = async (q: string, client = user) =>
    (await conversations(client, { q })).map(({ profileUrl }) => profileUrl.split("/").at(-1));
  expect(await names("konnten telef")).toEqual(["ada"]);
  expect(await names("thank")).toEqual(["grace"]);
  expect(await names("thank", stranger)).toEqual([]);
});

test("a colleague sees the same inbox; what is assigned to them counts for them", async () => {
  const owner = await service.user();
  const colleague = await addMember(service, owner, "member");
  const { id } = await withReply(owner);
  succeeded(await owner.patch(`${inbox}/conversations/${id}`, { assignedTo: colleague.userId }));
  expect(succeeded(await colleague.get<UnreadCounts>(`${inbox}/unread`)).data.mine).toBe(1);
  expect(succeeded(await owner.get<UnreadCounts>(`${inbox}/unread`)).data).toEqual({
    total: 1,
    mine: 0,
    unassigned: 0,
  });
  expect((await conversations(colleague, { assignedTo: "me", unread: "true" })).map((each) => each.id)).toEqual([id]);
  const viewer = await addMember(service, owner, "viewer");
  expect((await reply(viewer, { id }, { message: "Hi" })).status).toBe(403);
  expect(await conversations(viewer)).toHaveLength(1);
});

test("snippets are checked when they are stored, and filled in when they are sent", async () => {
  const user = await service.user();
  const lead = { networkUrl: profileOf("ada"), firstName: "Ada" };
  const { id: leadId } = succeeded(await user.post<LeadView>("/api/v2/leads", lead)).data;
  await user.post("/api/v2/network/scheduleNetworkAction", {
    ...{ actionType: "sendMessage", profileUrl: profileOf("ada"), message: "Hi", leadId },
  });
  const conversation = await withReply(user);
  const wrong = await user.post(`${inbox}/snippets`, { name: "Wrong", text: "Hi {{nickname}}" });
  expect(errorPaths(wrong)).toEqual(["text"]);
  const snippet = succeeded(
    await user.post<SnippetView>(`${inbox}/snippets`, { name: "Meeting", text: "Hi {{firstName|there}}, Tuesday?" }),
  ).data;
  expect((await user.post(`${inbox}/snippets`, { name: "Meeting", text: "x" })).status).toBe(409);
  const sent = succeeded(await reply(user, conversation, { snippetId: snippet.id })).data;
  expect(sent.message.text).toBe("Hi Ada, Tuesday?");
  expect(errorPaths(await reply(user, conversation, { snippetId: snippet.id, message: "Both" }))).toEqual(["message"]);
  expect((await reply(user, conversation, { snippetId: "nothing" })).status).toBe(404);
});

testInProcess(
  "a reply goes before what is planned, counts toward the caps, and is sent once by a double click",
  async () => {
    const script = scripted();
    await using world = await atWork({ connectors: script.connectors });
    const { user } = world;
    succeeded(await changeAccount(user, { caps: { messages: { day: 3 } } }));
    for (const name of ["one", "two", "three", "four"])
      await schedule(user, name, { actionType: "sendMessage", message: `To ${name}` });
    await world.service.idle();
    const conversation = await withReply(user);
    const [first, second] = await Promise.all([
      reply(user, conversation, { message: "With pleasure!" }),
      reply(user, conversation, { message: "With pleasure!" }),
    ]);
    expect([first, second].map(({ status }) => status)).toEqual([200, 200]);
    expect(first.data.isNew).not.toBe(second.data.isNew);
    expect(first.data.message.id).toBe(second.data.message.id);
    expect(first.data.message).toMatchObject({ state: "queued", direction: "outgoing", userId: user.userId });
    await world.passMinutes(25);
    const texts = script.asked.map(({ message }) => message);
    expect(texts).toEqual(["To one", "With pleasure!", "To two"]);
    expect((await messagesOf(user, conversation)).map(({ state, text }) => `${state}: ${text}`)).toEqual([
      ...["sent: With pleasure!", "received: Tell me more!"],
    ]);
    const again = succeeded(await reply(user, conversation, { message: "Another" })).data;
    expect(again.message).toMatchObject({ state: "queued", status: expect.stringContaining("24-hour cap") });
  },
);

testInProcess("a repeated text right after it was sent is not sent again; later it is", async () => {
  const script = scripted();
  await using world = await atWork({ connectors: script.connectors });
  const { user } = world;
  const conversation = await withReply(user);
  const sent = succeeded(await reply(user, conversation, { message: "Yes" })).data;
  await world.service.idle();
  expect(script.asked).toHaveLength(1);
  const repeated = succeeded(await reply(user, conversation, { message: "Yes" })).data;
  expect(repeated).toMatchObject({ isNew: false, message: { id: sent.message.id, state: "sent" } });
  await world.pass(5 * minute);
  expect(succeeded(await reply(user, conversation, { message: "Yes" })).data.isNew).toBe(true);
  await world.passMinutes(5);
  expect(script.asked).toHaveLength(2);
});

testInProcess("a reply while the account is signed out is refused, with what to do", async () => {
  const script = scripted({ kind: "signedOut", reason: "Signed out by the network." });
  await using world = await atWork({ connectors: script.connectors });
  const { user } = world;
  const conversation = await withReply(user);
  await schedule(user, "grace");
  await world.service.idle();
  expect((await accountOf(user)).state).toBe("needsReconnect");
  const refused = await reply(user, conversation, { message: "Hello?" });
  expect(refused).toMatchObject({ status: 409, message: expect.stringContaining("Reconnect it") });
  expect(await reply(user, conversation, { message: "Hello?", dryRun: true })).toMatchObject({ status: 409 });
  expect(await messagesOf(user, conversation)).toHaveLength(1);
});

test("a dry run checks a reply as if it were sent, and stores nothing", async () => {
  const user = await service.user();
  await user.post<LeadView>("/api/v2/leads", { networkUrl: profileOf("ada"), firstName: "Ada" });
  const conversation = await withReply(user);
  const checked = succeeded(await reply(user, conversation, { message: "Hello {{firstName}}!", dryRun: true })).data;
  expect(checked).toMatchObject({ dryRun: true, isNew: true, message: { state: "queued", text: "Hello Ada!" } });
  expect(await messagesOf(user, conversation)).toHaveLength(1);
  const sent = succeeded(await reply(user, conversation, { message: "Hello {{firstName}}!" })).data;
  expect(sent).toMatchObject({ dryRun: false, isNew: true });
  succeeded(await user.post("/api/v2/suppressions", { values: [profileOf("ada")] }));
  const refused = await reply(user, conversation, { message: "Once more", dryRun: true });
  expect(refused).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
});

testInProcess("what the person writes while a reply is queued is unread, and emits an event", async () => {
  await using world = await atWork();
  const { user } = world;
  const conversation = await withReply(user);
  succeeded(await user.patch(`${inbox}/conversations/${conversation.id}`, { isRead: true }));
  const [, sent] = await Promise.all([
    write(user, "ada", "Are you still there?"),
    reply(user, conversation, { message: "A moment, please" }),
  ]);
  expect(sent.status).toBe(200);
  expect((await conversations(user))[0]).toMatchObject({ unread: 1 });
  const { events } = succeeded(
    await user.get<{ events: EventView[] }>("/api/v2/events", { query: { type: "message.received" } }),
  ).data;
  expect(events.map(({ data }) => data["text"])).toEqual(["Are you still there?", "Tell me more!"]);
});

test("a program reports messages with IDs: repeated, late, and of strangers, each is stored once and in order", async () => {
  const user = await service.user();
  const said = (id: string, minutes: number, text: string, direction = "incoming") => {
    return { id, direction, at: new Date(Date.UTC(2026, 0, 5, 8, minutes)).toISOString(), text };
  };
  const report = async (...messages: object[]) => {
    const news = { profileUrl: profileOf("ada"), event: "messages", personName: "Ada Lovelace", messages };
    return succeeded(await user.post<{ isNew: boolean; newMessages: number }>(reports, news)).data;
  };
  const reports = "/api/v2/network/contacts/events";
  // Nobody has contacted her, so it is no reply.
  expect(await report(said("m3", 3, "Well?"))).toEqual({ isNew: false, newMessages: 1 });
  expect(await report(said("m2", 2, "By hand", "outgoing"), said("m3", 3, "Well?"), said("m1", 1, " Hello\n"))).toEqual(
    {
      ...{ isNew: false, newMessages: 2 },
    },
  );
  expect(await report(said("m1", 1, "Hello"), said("m2", 2, "By hand", "outgoing"))).toMatchObject({ newMessages: 0 });
  const [conversation] = await conversations(user);
  expect(conversation).toMatchObject({ personName: "Ada Lovelace", unread: 2, lastMessage: { text: "Well?" } });
  expect((await messagesOf(user, conversation!)).map(({ direction, text }) => `${direction}: ${text}`)).toEqual([
    ...["incoming: Well?", "outgoing: By hand", "incoming: Hello"],
  ]);
});

test("a report of messages names the field that is wrong", async () => {
  const user = await service.user();
  const message = { id: "m1", direction: "incoming", at: "2026-01-05T08:00:00Z", text: "Hello" };
  for (const [body, path] of [
    [{ event: "messages" }, "messages"],
    [{ event: "messages", messages: [] }, "messages"],
    [{ event: "replied", messages: [message] }, "messages"],
    [{ event: "accepted", personName: "Ada" }, "personName"],
    [{ event: "messages", messages: [message], at: message.at }, "at"],
    [{ event: "messages", messages: [message], text: "Hello" }, "text"],
    [{ event: "messages", messages: [message, { ...message, id: "" }] }, "messages.1.id"],
    [{ event: "messages", messages: [message, { ...message, direction: "sideways" }] }, "messages.1.direction"],
    [{ event: "messages", messages: [message, { ...message, at: "2999-01-01T00:00:00Z" }] }, "messages.1.at"],
    [{ event: "messages", messages: [{ ...message, text: "x".repeat(8001) }] }, "messages.0.text"],
    [{ event: "messages", messages: Array.from({ length: 101 }, () => message) }, "messages"],
  ] as const) {
    const response = await user.post("/api/v2/network/contacts/events", { profileUrl: profileOf("ada"), ...body });
    expect({ path, paths: errorPaths(response) }).toEqual({ path, paths: [path] });
  }
  expect(await conversations(user)).toEqual([]);
});

test("replies are sent as they were written: right to left, with invisible characters, and with markup", async () => {
  const user = await service.user();
  const conversation = await withReply(user);
  for (const message of ["שלום, נדבר מחר?", "می‌خواهم", "<b>bold</b> & more", "👩‍👩‍👧‍👦"]) {
    const sent = succeeded(await reply(user, conversation, { message })).data;
    expect(sent.message.text).toBe(message);
  }
});
