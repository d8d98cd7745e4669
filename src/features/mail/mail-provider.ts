import type { OutgoingMail, SendResult } from "./model.ts";

/** Hands mail to a mail server. Never rejects. */
export type MailProvider = { send(mail: OutgoingMail): Promise<SendResult> };
