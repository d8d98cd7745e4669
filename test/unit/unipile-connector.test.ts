import { describe, expect, test } from "bun:test";
import type { Tier } from "../../src/features/network/meter-model.ts";
import type { ActionType } from "../../src/features/network/action-kinds.ts";
import type { ActionOrder, ConnectorOutcome } from "../../src/features/network/connector.ts";
import type { WatchedPerson } from "../../src/features/network/contact-model.ts";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { createUnipileConnector } from "../../src/adapters/providers/network/unipile.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { accountOf, orderOf } from "../support/orders.ts";
import { idOf, startUnipile, type Member } from "../support/vendors/unipile.ts";

const never = new AbortController().signal;
const hourMs = 3_600_000;

/** A network on which each of `members` is known by the name. */
async function startWorld(members: Partial<Member>[] = [{}], tier: Tier = "premium") {
  const vendor = await startUnipile();
  for (const member of members) {
    const name = member.name ?? "ada";
    vendor.members.set(name, { relation: "none", ...member, name });
  }
  const clock = new FakeClock();
  const http = createHttpClient({ clock, allowPrivate: ["127.0.0.1"] });
  const connector = createUnipileConnector({ url: `${vendor.url}/api/v1`, apiKey: vendor.apiKey }, http, clock);
  const account = accountOf({ connector: "unipile", connectorSettings: { accountId: vendor.accountId }, tier });
  return {
    vendor,
    clock,
    carryOut: async (overrides: Partial<ActionOrder>) => await connector.carryOut(orderOf(overrides), account, never),
    watch: async (watched: WatchedPerson[]) => (await connector.watch?.(watched, account, never)) ?? [],
    [Symbol.asyncDispose]: async () => await vendor[Symbol.asyncDispose](),
  };
}

const withMethod = ({ method, path }: { method: string; path: string }) => `${method} ${path.split("?")[0]}`;

describe("a connection request", () => {
  test("looks at the profile first, and carries the note", async () => {
    await using world = await startWorld();
    const outcome = await world.carryOut({ message: "Hello Ada" });
    expect(outcome).toEqual({ kind: "completed", reference: "inv-ada", relation: "pending" });
    expect(world.vendor.requests.map(withMethod)).toEqual(["GET /api/v1/users/ada", "POST /api/v1/users/invite"]);
    const fields = { provider_id: idOf("ada"), account_id: "acc_1", message: "Hello Ada" };
    expect(world.vendor.effects).toEqual([{ path: "users/invite", fields }]);
  });

  test.each<[Partial<Member>, object]>([
    [{ relation: "connected" }, { refusal: "alreadyConnected", relation: "connected" }],
    [{ relation: "pending" }, { refusal: "alreadyPending", relation: "pending" }],
    [{ isSelf: true }, { refusal: "ownProfile" }],
    [{ withdrawn: true }, { refusal: "cannotResendYet", relation: "none" }],
    [{ name: "somebody-else" }, { refusal: "personNotFound" }],
  ])("to somebody with %j is refused as %j", async (member, refusal) => {
    await using world = await startWorld([member]);
    expect(await world.carryOut({})).toMatchObject({ kind: "refused", ...refusal });
    expect(world.vendor.effects).toEqual([]);
  });

  test("to the address of no person is refused without asking anybody", async () => {
    await using world = await startWorld();
    const profileUrl = "https://www.linkedin.com/company/acme";
    expect(await world.carryOut({ profileUrl })).toMatchObject({ kind: "refused", refusal: "personNotFound" });
    expect(world.vendor.requests).toEqual([]);
  });

  test.each([
    ["linkedin.com/in/ad%C3%A9le-x?trk=1", "adéle-x"],
    [`https://www.linkedin.com/sales/lead/${idOf("adele")},NAME_SEARCH,a1b2`, "adele"],
    [`https://www.linkedin.com/in/${idOf("adele")}/`, "adele"],
  ])("finds the person of %s", async (profileUrl, name) => {
    await using world = await startWorld([{ name }]);
    expect(await world.carryOut({ profileUrl })).toMatchObject({ kind: "completed" });
  });
});

describe("an error", () => {
  const limited = { kind: "limited", retryAt: null };
  const refusedAs = (refusal: string) => ({ kind: "refused", refusal });
  test.each<[number, string, string, ActionType, object]>([
    [
      422,
      "already_invited_recently",
      "An invitation was sent recently",
      "sendConnectionRequest",
      refusedAs("alreadyPending"),
    ],
    [422, "cannot_resend_within_24hrs", "", "sendConnectionRequest", refusedAs("cannotResendYet")],
    [422, "cannot_resend_yet", "You have reached a temporary provider limit.", "sendConnectionRequest", limited],
    [422, "limit_exceeded", "", "sendConnectionRequest", limited],
    [422, "connection_limit_reached", "", "sendConnectionRequest", limited],
    [429, "too_many_requests", "", "sendMessage", limited],
    [422, "cannot_invite_attendee", "", "sendConnectionRequest", refusedAs("requestNotAllowed")],
    [422, "already_connected", "", "sendConnectionRequest", refusedAs("alreadyConnected")],
    [400, "too_many_characters", "", "sendConnectionRequest", refusedAs("noteTooLong")],
    [
      400,
      "missing_parameters",
      "The email of the user is required",
      "sendConnectionRequest",
      refusedAs("emailRequired"),
    ],
    [400, "invalid_parameters", "", "sendMessage", refusedAs("invalid")],
    [422, "no_connection_with_recipient", "", "sendMessage", refusedAs("messagingNotAllowed")],
    [422, "user_unreachable", "", "sendMessage", refusedAs("messagingNotAllowed")],
    [422, "user_unreachable", "", "sendConnectionRequest", refusedAs("requestNotAllowed")],
    [422, "insufficient_credits", "", "sendInMail", refusedAs("noInMailCredits")],
    [403, "feature_not_subscribed", "", "sendInMail", refusedAs("notSupported")],
    [422, "invalid_post", "", "likePost", refusedAs("postNotFound")],
    [422, "comments_disabled", "", "commentPost", refusedAs("commentingNotAllowed")],
    [422, "action_already_performed", "", "likePost", { kind: "completed" }],
    [401, "disconnected_account", "", "sendMessage", { kind: "signedOut" }],
    [401, "checkpoint_error", "", "sendMessage", { kind: "signedOut" }],
    [403, "account_restricted", "", "sendMessage", { kind: "signedOut" }],
    [500, "provider_error", "", "sendMessage", { kind: "unknown" }],
    [504, "request_timeout", "", "sendConnectionRequest", { kind: "unknown" }],
    [503, "no_client_session", "", "sendMessage", { kind: "busy", retryAt: startOfTests + 300_000 }],
    [501, "feature_not_implemented", "", "endorseSkill", refusedAs("notSupported")],
  ])("%i errors/%s (%s) at %s is %j", async (status, type, detail, actionType, outcome) => {
    const member: Partial<Member> = {
      relation: actionType === "sendConnectionRequest" ? "none" : "connected",
      posts: [{ social_id: "urn:li:activity:1" }],
      skills: [{ name: "Logic", endorsement_id: 1 }],
    };
    await using world = await startWorld([member]);
    world.vendor.refuseNext(status, type, detail);
    expect(await world.carryOut({ actionType, message: "Hello" })).toMatchObject(outcome);
    expect(world.vendor.effects).toEqual([]);
  });

  test("that names a moment is limited until then", async () => {
    await using world = await startWorld();
    world.vendor.refuseNext(429, "too_many_requests", "", { "retry-after": "3600" });
    expect(await world.carryOut({})).toMatchObject({ kind: "limited", retryAt: startOfTests + hourMs });
  });

  test("reads as a sentence, without the key that it echoes", async () => {
    await using world = await startWorld();
    world.vendor.refuseNext(400, "invalid_parameters", `Bad value\nfor key ${world.vendor.apiKey}.`);
    expect(await world.carryOut({})).toMatchObject({ reason: "Unipile rejected it: Bad value for key [secret]." });
  });

  test("of access holds the account: a wrong key", async () => {
    await using world = await startWorld();
    const clock = new FakeClock();
    const http = createHttpClient({ clock, allowPrivate: ["127.0.0.1"] });
    const connector = createUnipileConnector({ url: world.vendor.url, apiKey: "wrong-key" }, http, clock);
    const account = accountOf({ connectorSettings: { accountId: "acc_1" } });
    expect(await connector.carryOut(orderOf(), account, never)).toEqual({
      kind: "signedOut",
      reason: "Unipile has no access to the account: Missing credentials.",
    });
  });

  test.each<[number, Partial<ConnectorOutcome>]>([
    [500, { kind: "busy" }],
    [404, { kind: "busy" }],
    [301, { kind: "busy" }],
    [403, { kind: "busy" }],
  ])("%i of something in front of the API only postpones, as nothing was done", async (status, outcome) => {
    const server = Bun.serve({ port: 0, fetch: () => new Response("<html>Oops", { status }) });
    try {
      const clock = new FakeClock();
      const http = createHttpClient({ clock, allowPrivate: ["127.0.0.1"] });
      const connector = createUnipileConnector({ url: `http://127.0.0.1:${server.port}`, apiKey: "key" }, http, clock);
      const account = accountOf({ connectorSettings: { accountId: "acc_1" } });
      expect(await connector.carryOut(orderOf(), account, never)).toMatchObject(outcome);
    } finally {
      await server.stop(true);
    }
  });
});

describe("a withdrawal", () => {
  test("finds the request on a later page, and takes it back", async () => {
    const others = Array.from({ length: 150 }, (_, n) => ({
      name: `other-${n}-${"abcdefghij"[n % 10]}`,
      relation: "pending" as const,
    }));
    await using world = await startWorld([...others, { relation: "pending" }]);
    const outcome = await world.carryOut({ actionType: "withdrawConnectionRequest" });
    expect(outcome).toEqual({ kind: "completed", reference: "inv-ada", relation: "none" });
    expect(world.vendor.members.get("ada")?.relation).toBe("none");
    expect(world.vendor.requests.at(-1)).toMatchObject({
      method: "DELETE",
      path: "/api/v1/users/invite/sent/inv-ada?account_id=acc_1",
    });
  });

  test.each(["none", "connected"] as const)("is refused when the relation is %s", async (relation) => {
    await using world = await startWorld([{ relation }]);
    const outcome = await world.carryOut({ actionType: "withdrawConnectionRequest" });
    expect(outcome).toMatchObject({ kind: "refused", refusal: "notPending", relation });
  });
});

describe("a message", () => {
  test("starts a chat with somebody new and goes on in it afterwards, with a reference to find answers by", async () => {
    await using world = await startWorld([{ relation: "connected" }]);
    const chat = `chat-${idOf("ada")}`;
    const send = async (message: string) => await world.carryOut({ actionType: "sendMessage", message });
    expect(await send("First")).toEqual({ kind: "completed", reference: `${chat}/message-1` });
    expect(await send("Second")).toEqual({ kind: "completed", reference: `${chat}/message-2` });
    expect(world.vendor.effects).toEqual([
      { path: "chats", fields: { account_id: "acc_1", attendees_ids: idOf("ada"), text: "First" } },
      { path: "chats/messages", fields: { text: "Second" } },
    ]);
  });

  test("of voice carries the recording as a file of its kind, and no text", async () => {
    await using world = await startWorld([{ relation: "connected" }]);
    const audio = { bytes: new Uint8Array([9, 8, 7]), mediaType: "audio/mp4", seconds: 1 };
    await world.carryOut({ actionType: "sendVoiceMessage", message: "Said", audio });
    const file = world.vendor.effects[0]?.fields["voice_message"];
    if (!(file instanceof File)) throw new Error("Expected a file");
    expect([file.name, ...new Uint8Array(await file.arrayBuffer())]).toEqual(["voice.m4a", 9, 8, 7]);
    expect(world.vendor.effects[0]?.fields["text"]).toBeUndefined();
  });

  test.each<[Tier, string]>([
    ["premium", "classic"],
    ["salesNavigator", "sales_navigator"],
  ])("InMail of a %s account goes by %s, to people who are not connected", async (tier, api) => {
    await using world = await startWorld([{}], tier);
    const details = { subject: "A question" };
    const outcome = await world.carryOut({ actionType: "sendInMail", message: "Hello", details });
    expect(outcome).toMatchObject({ kind: "completed" });
    expect(world.vendor.effects[0]?.fields).toMatchObject({
      subject: "A question",
      text: "Hello",
      "linkedin[api]": api,
      "linkedin[inmail]": "true",
    });
  });
});

describe("other actions", () => {
  test("a visit lets the person know; a look at the connection does not", async () => {
    await using world = await startWorld([{ relation: "pending" }]);
    expect(await world.carryOut({ actionType: "visitProfile" })).toEqual({ kind: "completed", reference: null });
    const look = await world.carryOut({ actionType: "checkConnectionStatus" });
    expect(look).toEqual({ kind: "completed", reference: null, relation: "pending" });
    expect(world.vendor.requests.map(({ path }) => path.includes("notify=true"))).toEqual([true, false]);
  });

  const posts = [{ social_id: "urn:li:activity:1111111", is_repost: true }, { social_id: "urn:li:ugcPost:2222222" }];
  test.each([
    [undefined, "urn:li:ugcPost:2222222"],
    ["https://www.linkedin.com/posts/ada_x-activity-1111111-abcd", "urn:li:activity:1111111"],
    ["https://www.linkedin.com/feed/update/urn%3Ali%3AugcPost%3A2222222/", "urn:li:ugcPost:2222222"],
  ])("a reaction to the post %p goes to %s", async (postUrl, id) => {
    await using world = await startWorld([{ posts }]);
    const details = { reaction: "celebrate" as const, ...(postUrl && { postUrl }) };
    expect(await world.carryOut({ actionType: "likePost", details })).toEqual({ kind: "completed", reference: id });
    expect(world.vendor.effects[0]?.fields).toEqual({ account_id: "acc_1", post_id: id, reaction_type: "celebrate" });
  });

  test.each([
    undefined,
    "https://www.linkedin.com/feed/update/urn:li:activity:9999999/",
    "https://www.linkedin.com/in/ada",
  ])("a comment on the post %p that is not there is refused", async (postUrl) => {
    await using world = await startWorld([{ posts: [] }]);
    const outcome = await world.carryOut({
      actionType: "commentPost",
      message: "Yes",
      details: postUrl ? { postUrl } : {},
    });
    expect(outcome).toMatchObject({ kind: "refused", refusal: "postNotFound" });
  });

  test("a comment carries its text", async () => {
    await using world = await startWorld([{ posts }]);
    expect(await world.carryOut({ actionType: "commentPost", message: "Well said" })).toEqual({
      kind: "completed",
      reference: "comment-1",
    });
    expect(world.vendor.effects).toEqual([
      { path: "posts/comments", fields: { account_id: "acc_1", text: "Well said" } },
    ]);
  });

  test.each([
    ["logic", 2],
    [undefined, 1],
  ])("the skill %p is endorsed by its id", async (skill, id) => {
    const skills = [
      { name: "Mathematics", endorsement_id: 1 },
      { name: "Logic", endorsement_id: 2 },
    ];
    await using world = await startWorld([{ relation: "connected", skills }]);
    await world.carryOut({ actionType: "endorseSkill", details: skill ? { skill } : {} });
    expect(world.vendor.effects[0]?.fields).toEqual({
      account_id: "acc_1",
      profile_id: idOf("ada"),
      skill_endorsement_id: id,
    });
  });

  test("a skill that is not listed can't be endorsed", async () => {
    await using world = await startWorld([{ skills: [{ name: "Logic", endorsement_id: 2 }] }]);
    const outcome = await world.carryOut({ actionType: "endorseSkill", details: { skill: "Cooking" } });
    expect(outcome).toMatchObject({ kind: "refused", refusal: "skillNotFound" });
  });
});

describe("news", () => {
  const watchedOf = (name: string, waitsFor: WatchedPerson["waitsFor"]): WatchedPerson => ({
    profileUrl: `https://www.linkedin.com/in/${name}`,
    profileKey: `https://linkedin.com/in/${name.toLowerCase()}`,
    waitsFor,
    since: startOfTests,
  });
  test("tell who accepted, by name or by id, and when", async () => {
    const at = startOfTests + hourMs;
    await using world = await startWorld([
      { relation: "connected", connectedAt: at },
      { name: "bob", relation: "connected", connectedAt: at + 1 },
      { name: "cem", relation: "pending" },
    ]);
    const watched = [
      watchedOf("Ada", "acceptance"),
      watchedOf(idOf("bob"), "acceptance"),
      watchedOf("cem", "acceptance"),
    ];
    const news = await world.watch(watched);
    expect(news.toSorted((a, b) => a.at - b.at)).toEqual([
      { profileKey: "https://linkedin.com/in/ada", kind: "accepted", at },
      { profileKey: `https://linkedin.com/in/${idOf("bob").toLowerCase()}`, kind: "accepted", at: at + 1 },
    ]);
  });

  test("read no further than to the time of the oldest request", async () => {
    const friends = Array.from({ length: 250 }, (_, n) => ({
      name: `friend-${n}`,
      relation: "connected" as const,
      connectedAt: 1000 + n,
    }));
    await using world = await startWorld([...friends, { relation: "pending" }]);
    expect(await world.watch([watchedOf("ada", "acceptance")])).toEqual([]);
    expect(world.vendor.requests).toHaveLength(1);
  });

  test("are none while the vendor can't be asked", async () => {
    await using world = await startWorld([{ relation: "connected", connectedAt: startOfTests }]);
    world.vendor.breakWith("failing");
    expect(await world.watch([watchedOf("ada", "acceptance")])).toEqual([]);
  });
});
