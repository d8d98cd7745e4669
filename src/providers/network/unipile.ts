import type { Clock } from "../../clock.ts";
import type { NetworkAccount } from "../../network/account-model.ts";
import type { ActionOrder, Connector, ConnectorOutcome } from "../../network/connector.ts";
import type { Relation } from "../../network/contact-model.ts";
import type { HttpClient } from "../http-client.ts";
import { Ending, notSupported, outcomeOf, refused, sent } from "./ending.ts";
import { Chats, Post, Posts, Profile, SentInvitations, UnipileApi, type UnipileAccess } from "./unipile-api.ts";
import { newsOf } from "./unipile-news.ts";
import { memberOf, postOf } from "./profile-address.ts";
import type { Vendor } from "./vendor.ts";

/** `url`: the address of the subscription (its DSN) without a path; `apiKey`: null = not set. */
export type UnipileSettings = { url: string | null; apiKey: string | null };

/** Carries orders out over the API of Unipile with an account that is connected there. */
export function createUnipileConnector(settings: UnipileSettings, http: HttpClient, clock: Clock): Connector {
  const vendor: Vendor = { name: "Unipile", http, clock, secrets: settings.apiKey === null ? [] : [settings.apiKey] };
  const apiFor = (account: Pick<NetworkAccount, "connectorSettings">, signal: AbortSignal): UnipileApi | string => {
    const access = accessOf(settings);
    if (access === null)
      return "The operator must set OUTREACHD_UNIPILE_URL and OUTREACHD_UNIPILE_API_KEY before Unipile can be used.";
    const { accountId } = account.connectorSettings;
    if (!accountId) return "The unipile connector needs connectorSettings.accountId, the id of the account at Unipile.";
    return new UnipileApi(vendor, access, accountId, signal);
  };
  return {
    problem(account) {
      const api = apiFor(account, new AbortController().signal);
      return typeof api === "string" ? api : null;
    },
    async carryOut(order, account, signal) {
      const api = apiFor(account, signal);
      if (typeof api === "string") return { kind: "signedOut", reason: api };
      return await outcomeOf(() => carryOut(api, order, account));
    },
    async watch(watched, account, signal) {
      const api = apiFor(account, signal);
      return typeof api === "string" ? [] : await newsOf(api, watched);
    },
  };
}

function accessOf({ url, apiKey }: UnipileSettings): UnipileAccess | null {
  // The vendor's own pages show the address with and without the path of the version.
  return url === null || apiKey === null ? null : { url: url.replace(/\/api\/v1$/, ""), apiKey };
}

async function carryOut(api: UnipileApi, order: ActionOrder, account: NetworkAccount): Promise<ConnectorOutcome> {
  switch (order.actionType) {
    case "sendConnectionRequest":
      return await invite(api, order);
    case "withdrawConnectionRequest":
      return await withdraw(api, order);
    case "sendMessage":
      return await sendMessage(api, order, { text: order.message ?? "" });
    case "sendVoiceMessage":
      return await sendMessage(api, order, { voice_message: voiceFile(order) });
    case "sendInMail":
      return await sendInMail(api, order, account);
    case "visitProfile":
      await api.act({ method: "GET", path: `users/${memberOf(order)}`, query: { notify: "true" } });
      return sent(null);
    case "checkConnectionStatus":
      return sent(null, relationOf(await profileOf(api, order)));
    case "likePost":
      return await react(api, order);
    case "commentPost":
      return await comment(api, order);
    case "endorseSkill":
      return await endorse(api, order);
    case "followProfile":
      return notSupported("Unipile", "follow a profile");
  }
}

async function invite(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const profile = await profileOf(api, order);
  const relation = relationOf(profile);
  if (relation === "connected") return refused("alreadyConnected", "The two are connected already.", relation);
  if (relation === "pending") return refused("alreadyPending", "A connection request is pending already.", relation);
  const outcome = await outcomeOf(async () => {
    const { invitation_id: id } = await api.act({
      path: "users/invite",
      body: {
        json: {
          provider_id: profile.provider_id,
          account_id: api.accountId,
          ...(order.message && { message: order.message }),
        },
      },
      unreachable: "requestNotAllowed",
    });
    return sent(textOf(id), "pending");
  });
  if (outcome.kind !== "refused" || outcome.refusal !== "alreadyPending") return outcome;
  // The API has one error for a request that is pending and for one that was withdrawn some weeks ago.
  return wasWithdrawn(profile) ? { ...outcome, refusal: "cannotResendYet", relation: "none" } : outcome;
}

/** More than this are pending with nobody: the network refuses to send requests long before. */
const maxInvitationPages = 50;

async function withdraw(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const profile = await profileOf(api, order);
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < maxInvitationPages; pages++) {
    const query: Record<string, string> = { limit: "100", ...(cursor && { cursor }) };
    const found: typeof SentInvitations.static = await api.read({
      path: "users/invite/sent",
      query,
      schema: SentInvitations,
    });
    const invitation = found.items.find(({ invited_user_id: id }) => id === profile.provider_id);
    if (invitation !== undefined) {
      const path = `users/invite/sent/${encodeURIComponent(invitation.id)}`;
      await api.act({ method: "DELETE", path, missing: "notPending" });
      return sent(invitation.id, "none");
    }
    cursor = found.items.length > 0 && found.cursor ? found.cursor : null;
  }
  return refused("notPending", "There is no pending connection request to this person.", relationOf(profile));
}

async function sendMessage(
  api: UnipileApi,
  order: ActionOrder,
  content: { text: string } | { voice_message: File },
): Promise<ConnectorOutcome> {
  const { provider_id: person } = await profileOf(api, order);
  const chatId = await chatWith(api, person);
  return chatId === null
    ? await startChat(api, { attendees_ids: person, ...content })
    : await sendIn(api, chatId, content);
}

/** The vendor asks to name the chat where there is one, rather than the person. */
async function chatWith(api: UnipileApi, person: string): Promise<string | null> {
  try {
    const path = `chat_attendees/${encodeURIComponent(person)}/chats`;
    const { items } = await api.read({ path, query: { limit: "1" }, schema: Chats });
    return items[0]?.id ?? null;
  } catch (error) {
    // With somebody new there is nothing to find.
    if (error instanceof Ending && error.outcome.kind === "refused") return null;
    throw error;
  }
}

async function sendIn(
  api: UnipileApi,
  chatId: string,
  content: Readonly<Record<string, string | File>>,
): Promise<ConnectorOutcome> {
  const { message_id: id } = await api.act({
    path: `chats/${encodeURIComponent(chatId)}/messages`,
    body: { multipart: formOf(content) },
    missing: "messagingNotAllowed",
    unreachable: "messagingNotAllowed",
  });
  return sent(messageReference(chatId, id));
}

async function startChat(api: UnipileApi, fields: Readonly<Record<string, string | File>>): Promise<ConnectorOutcome> {
  const { chat_id: chatId, message_id: id } = await api.act({
    path: "chats",
    body: { multipart: formOf({ account_id: api.accountId, ...fields }) },
    unreachable: "messagingNotAllowed",
  });
  return sent(messageReference(textOf(chatId), id));
}

/** The chat stands in front, so that replies can be found by it. */
function messageReference(chatId: string | null, messageId: unknown): string | null {
  return chatId === null ? textOf(messageId) : `${chatId}/${textOf(messageId) ?? ""}`;
}

async function sendInMail(api: UnipileApi, order: ActionOrder, { tier }: NetworkAccount): Promise<ConnectorOutcome> {
  const { provider_id: person } = await profileOf(api, order);
  return await startChat(api, {
    attendees_ids: person,
    ...(order.details.subject && { subject: order.details.subject }),
    text: order.message ?? "",
    "linkedin[api]": tier === "salesNavigator" ? "sales_navigator" : "classic",
    "linkedin[inmail]": "true",
  });
}

async function react(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const postId = await postIdOf(api, order);
  const json = { account_id: api.accountId, post_id: postId, reaction_type: order.details.reaction ?? "like" };
  await api.act({ path: "posts/reaction", body: { json }, missing: "postNotFound" });
  return sent(postId);
}

async function comment(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const postId = await postIdOf(api, order);
  const { comment_id: id } = await api.act({
    path: `posts/${encodeURIComponent(postId)}/comments`,
    body: { json: { account_id: api.accountId, text: order.message ?? "" } },
    missing: "postNotFound",
  });
  return sent(textOf(id) ?? postId);
}

/** The id that the API wants in actions; the one in an address does not always do. Without an address, the latest. */
async function postIdOf(api: UnipileApi, order: ActionOrder): Promise<string> {
  const { postUrl } = order.details;
  if (postUrl !== undefined) {
    const id = postOf(postUrl);
    if (id === null) throw new Ending(refused("postNotFound", "The address of the post names none."));
    const path = `posts/${encodeURIComponent(id)}`;
    return (await api.read({ path, schema: Post, missing: "postNotFound", unreachable: "postNotFound" })).social_id;
  }
  const { provider_id: person } = await profileOf(api, order);
  const path = `users/${encodeURIComponent(person)}/posts`;
  const { items } = await api.read({ path, query: { limit: "10" }, schema: Posts });
  const latest = items.find(({ is_repost: isRepost }) => isRepost !== true);
  if (latest === undefined) throw new Ending(refused("postNotFound", "The person has no posts of their own lately."));
  return latest.social_id;
}

async function endorse(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const profile = await profileOf(api, order, { linkedin_sections: "skills" });
  const wanted = order.details.skill?.trim().toLowerCase();
  const skill = (profile.skills ?? []).find(
    ({ name, endorsement_id: id }) => id && (wanted === undefined || name.trim().toLowerCase() === wanted),
  );
  if (skill === undefined) return refused("skillNotFound", "The profile lists no such skill that can be endorsed.");
  const json = {
    account_id: api.accountId,
    profile_id: profile.provider_id,
    skill_endorsement_id: Number(skill.endorsement_id),
  };
  const { endorsed } = await api.act({ path: "linkedin/profile/endorse", body: { json } });
  if (endorsed === false) return refused("requestNotAllowed", "The network did not take the endorsement.");
  return sent(skill.name);
}

async function profileOf(api: UnipileApi, order: ActionOrder, query: Record<string, string> = {}): Promise<Profile> {
  const profile = await api.read({ path: `users/${memberOf(order)}`, query, schema: Profile });
  if (profile.is_self === true) throw new Ending(refused("ownProfile", "This is the profile of the account itself."));
  return profile;
}

function relationOf({ is_relationship: isRelation, network_distance: distance, invitation }: Profile): Relation {
  if (isRelation === true || distance === "FIRST_DEGREE" || distance === "DISTANCE_1") return "connected";
  return invitation?.type === "SENT" && invitation.status === "PENDING" ? "pending" : "none";
}

function wasWithdrawn({ invitation }: Profile): boolean {
  return invitation?.type === "SENT" && invitation.status === "WITHDRAWN";
}

function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** By the name, the network tells what it is; it likes m4a best. */
function voiceFile({ audio }: ActionOrder): File {
  if (audio === null) throw new Ending(refused("invalid", "The voice message has no recording."));
  const [, subtype = ""] = /^audio\/(?:x-)?([a-z0-9]+)/i.exec(audio.mediaType) ?? [];
  const ending = ({ mp4: "m4a", mpeg: "mp3", wave: "wav" } as Partial<Record<string, string>>)[subtype] ?? subtype;
  return new File([audio.bytes.slice()], `voice.${ending || "m4a"}`, { type: audio.mediaType });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 300) : null;
}
