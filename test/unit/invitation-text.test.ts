import { expect, test } from "bun:test";
import { invitationText } from "../../src/features/mail/texts.ts";

test.each([
  ["Sales", "Join Sales on outreachd", "Ada invites you to the workspace Sales on outreachd."],
  [
    "admin@localhost",
    "Join the workspace of admin@localhost on outreachd",
    "Ada invites you to the workspace of admin@localhost on outreachd.",
  ],
])("an invitation to %s", (workspace, subject, first) => {
  const mail = invitationText(workspace, "Ada", "https://example.com/join#t");
  expect(mail.subject).toBe(subject);
  expect(mail.body).toStartWith(`${first}\n`);
});
