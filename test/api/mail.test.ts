import { afterAll, beforeEach, expect, test } from "bun:test";
import type { NewInvitationView } from "../../src/features/workspaces/invitations/model.ts";
import type { NotificationSettingsView } from "../../src/features/mail/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { startMailServer, type ReceivedMail } from "../support/mail-server.ts";
import { eventually, startService, succeeded } from "../support/service.ts";

const publicUrl = "http://outreach.example.com";
const server = await startMailServer();
const service = await startService({
  settings: {
    ...{ PUBLIC_URL: publicUrl, SMTP_HOST: "127.0.0.1", SMTP_PORT: server.port, SMTP_TLS: "none" },
    SMTP_FROM: "Outreach <noreply@example.com>",
  },
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  server.received.length = 0;
});

async function mailTo(address: string): Promise<ReceivedMail> {
  return eventually(`a mail to ${address}`, async () => server.received.find(({ to }) => to.includes(address)) ?? null);
}

const address = () => `${crypto.randomUUID()}@example.com`;

test("an invitation is mailed, and its link works", async () => {
  const email = address();
  const owner = await service.user({ name: "Ada\r\nBcc: eve@example.com" });
  const made = succeeded(await owner.post<NewInvitationView>("/api/v2/invitations", { email, role: "member" })).data;
  expect(made.isMailed).toBe(true);
  const { headers, text } = await mailTo(email);
  expect(headers["subject"]).toStartWith("Join the workspace of Ada Bcc: eve@example.com on");
  expect(text).toContain(made.url);
});

test("a sign-in link is mailed to users, once a minute, and to nobody else", async () => {
  const email = address();
  await service.user({ email });
  const ask = (to: string) =>
    fetch(`${service.url}/app/sign-in-mail`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-outreachd-page": "1" },
      body: JSON.stringify({ email: to }),
    });
  const unknown = await ask(address());
  const [known, again] = await Promise.all([ask(email.toUpperCase()), ask(email)]);
  expect([unknown.status, known.status, again.status]).toEqual([200, 200, 200]);
  expect(await known.text()).toBe(await unknown.text());
  const link = /app\/sign-in#([\w-]+)/.exec((await mailTo(email)).text)?.[1];
  const signedIn = await fetch(`${service.url}/app/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-outreachd-page": "1" },
    body: JSON.stringify({ link }),
  });
  expect(signedIn.status).toBe(200);
  expect(server.received.filter(({ to }) => to.includes(email))).toHaveLength(1);
  expect(server.received.flatMap(({ to }) => to)).toEqual([email]);
});

test("whoever starts an import hears of its end, unless they turned that off", async () => {
  const [email, quiet] = [address(), address()];
  const ada = await service.user({ email });
  const grace = await service.user({ email: quiet });
  const path = "/api/v2/users/me/notifications";
  const settings = succeeded(
    await grace.put<NotificationSettingsView>(path, { kinds: { importFinished: false } }),
  ).data;
  expect(settings).toMatchObject({
    isAvailable: true,
    email: quiet,
    kinds: { importFinished: false, replyReceived: true },
  });
  expect(succeeded(await grace.get(path)).data).toEqual(settings);
  // What happened before mail was turned on is not mailed.
  await eventually("the start of notifications", async () => {
    await using database = await service.openDatabase();
    return (await database.all("SELECT event FROM mail_position"))[0] ?? null;
  });
  for (const client of [grace, ada]) {
    const headers = { "content-type": "text/csv" };
    const job = await client.post<JobView>("/api/v2/leads/import", "email\nx@example.org\n", { headers });
    await service.ended(client, succeeded(job).data.id);
  }
  const { headers, text } = await mailTo(email);
  expect(headers["subject"]).toBe("Import completed: leads");
  expect(text).toContain(`${publicUrl}/app/leads/import`);
  expect(text).not.toContain("x@example.org");
  expect(server.received.flatMap(({ to }) => to)).not.toContain(quiet);
});

test("several messages of a person in an hour are one mail, with a link to the conversation", async () => {
  const email = address();
  const ada = await service.user({ email });
  await eventually("the start of notifications", async () => {
    await using database = await service.openDatabase();
    return (await database.all("SELECT event FROM mail_position"))[0] ?? null;
  });
  const write = async (name: string, text: string) =>
    succeeded(
      await ada.post("/api/v2/network/contacts/events", {
        ...{ profileUrl: `https://network.example/in/${name}`, event: "replied", text },
      }),
    );
  await write("grace", "Hello!");
  await write("grace", "Are you there?");
  await write("mary", "Hi.");
  const received = await eventually("mails about both people", async () => {
    const mails = server.received.filter(({ to }) => to.includes(email));
    return mails.length >= 2 ? mails : null;
  });
  const links = received.map(({ text }) => /app\/inbox\?c=[\w-]+/.exec(text)?.[0]);
  expect(links).not.toContain(undefined);
  expect(new Set(links).size).toBe(2);
  expect(received.map(({ text }) => text).join()).not.toMatch(/Hello|Hi\.|grace|mary/);
});

test("an unknown kind is refused by name", async () => {
  const answer = await service.admin.put("/api/v2/users/me/notifications", { kinds: { repliesReceived: true } });
  expect(answer.status).toBe(400);
});

test("a test mail is for admins with an address, and says why it was not sent", async () => {
  const path = "/api/v2/mail/test";
  expect((await (await service.user()).post(path)).status).toBe(403);
  expect((await service.admin.post(path)).message).toContain("admin@localhost");
  const email = address();
  succeeded(await service.admin.patch("/api/v2/users/me", { email }));
  expect(succeeded(await service.admin.post<{ recipient: string }>(path)).data.recipient).toBe(email);
  expect((await mailTo(email)).text).toBe("Mail from outreachd reaches you.");
  server.refuse({ code: 550, message: "no such user" });
  expect((await service.admin.post(path)).message).toContain("no such user");
  server.refuse(null);
});

test("without a mail server, invitations are links, and nobody asks for one by mail", async () => {
  await using silent = await startService();
  const made = await silent.admin.post<NewInvitationView>("/api/v2/invitations", { email: address(), role: "member" });
  expect(succeeded(made).data.isMailed).toBe(false);
  const methods = await fetch(`${silent.url}/app/sign-in-methods`);
  expect(await methods.json()).toMatchObject({ data: { isMailAvailable: false } });
  const settings = await silent.admin.get<NotificationSettingsView>("/api/v2/users/me/notifications");
  expect(succeeded(settings).data.isAvailable).toBe(false);
});
