import type { NetworkAccount } from "../../../features/network/account-model.ts";
import type { ActionOrder, ConnectorOutcome } from "../../../features/network/connector.ts";
import { Ending, refused, sent } from "./ending.ts";
import { Chats, textOf, type UnipileApi } from "./unipile-api.ts";
import { profileOf } from "./unipile-people.ts";

export async function sendMessage(
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

/** The vendor expects the chat, if there is one, instead of the person. */
async function chatWith(api: UnipileApi, person: string): Promise<string | null> {
  try {
    const path = `chat_attendees/${encodeURIComponent(person)}/chats`;
    const { items } = await api.read({ path, query: { limit: "1" }, schema: Chats });
    return items[0]?.id ?? null;
  } catch (error) {
    // With a new contact, there is no chat to find.
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

/** The chat comes first, so that replies can be found by it. */
function messageReference(chatId: string | null, messageId: unknown): string | null {
  return chatId === null ? textOf(messageId) : `${chatId}/${textOf(messageId) ?? ""}`;
}

export async function sendInMail(
  api: UnipileApi,
  order: ActionOrder,
  { tier }: NetworkAccount,
): Promise<ConnectorOutcome> {
  const { provider_id: person } = await profileOf(api, order);
  return await startChat(api, {
    attendees_ids: person,
    ...(order.details.subject && { subject: order.details.subject }),
    text: order.message ?? "",
    "linkedin[api]": tier === "salesNavigator" ? "sales_navigator" : "classic",
    "linkedin[inmail]": "true",
  });
}

function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** The network detects the format by file name, and prefers m4a. */
export function voiceFile({ audio }: ActionOrder): File {
  if (audio === null) throw new Ending(refused("invalid", "The voice message has no recording."));
  const [, subtype = ""] = /^audio\/(?:x-)?([a-z0-9]+)/i.exec(audio.mediaType) ?? [];
  const ending = ({ mp4: "m4a", mpeg: "mp3", wave: "wav" } as Partial<Record<string, string>>)[subtype] ?? subtype;
  return new File([audio.bytes.slice()], `voice.${ending || "m4a"}`, { type: audio.mediaType });
}
