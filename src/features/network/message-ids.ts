// IDs derived from what they stand for: whoever reports a message, and however often, it is the same message of the same
// conversation.

/** ID of the conversation between an account and a person. */
export function conversationId(accountId: string, profileKey: string): string {
  return digest(accountId, profileKey);
}

/** ID of a message that was not sent by an action. Without the network's ID of the message, time and text stand for it. */
export function reportedMessageId(
  conversation: string,
  message: { id: string | null; at: number; text: string | null },
): string {
  return message.id === null
    ? digest(conversation, "at", String(message.at), message.text ?? "")
    : digest(conversation, "id", message.id);
}

/** 120 bits: among a trillion IDs, the probability that two are equal is 10^-12. */
const idDigits = 30;

function digest(...parts: string[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, idDigits);
}
