import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSmtp, type SmtpSettings } from "../../src/adapters/providers/mail/smtp.ts";
import { startMailServer } from "../support/mail-server.ts";

const mail = { id: "m1", recipient: "ada@example.com", subject: "Grüße", body: "Line one\nÄ line two" };
const settings = (port: number, more: Partial<SmtpSettings> = {}): SmtpSettings => ({
  ...{
    host: "127.0.0.1",
    port,
    user: null,
    password: null,
    from: "Outreach <noreply@example.com>",
    tls: "none",
    ...more,
  },
});

let folder: string;
let tls: { key: string; cert: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "outreachd-smtp-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", cert];
  const made = Bun.spawn(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject], {
    stderr: "ignore",
  });
  expect(await made.exited).toBe(0);
  tls = { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a mail arrives as it was written, with the sender and an ID that stays the same", async () => {
  await using server = await startMailServer({ user: { name: "out", password: "secret" } });
  const smtp = createSmtp(settings(server.port, { user: "out", password: "secret" }));
  expect(await smtp.send(mail)).toEqual({ isSent: true });
  expect(server.received).toMatchObject([
    { from: "noreply@example.com", to: ["ada@example.com"], text: "Line one\nÄ line two" },
  ]);
  expect(server.received[0]?.headers).toMatchObject({
    from: "Outreach <noreply@example.com>",
    "message-id": "<m1@example.com>",
    "auto-submitted": "auto-generated",
  });
});

test("a line break in a subject adds no header", async () => {
  await using server = await startMailServer();
  await createSmtp(settings(server.port)).send({ ...mail, subject: "Hi\r\nBcc: eve@example.com" });
  expect(server.received[0]?.to).toEqual(["ada@example.com"]);
  expect(server.received[0]?.headers["bcc"]).toBeUndefined();
});

test("nothing is sent in the clear to a server without STARTTLS", async () => {
  await using server = await startMailServer();
  const result = await createSmtp(settings(server.port, { tls: "starttls" })).send(mail);
  expect(result).toMatchObject({ isSent: false, isFinal: false });
  expect(server.received).toEqual([]);
});

test.each(["starttls", "implicit"] as const)("a certificate that nobody vouches for is refused (%s)", async (mode) => {
  await using server = await startMailServer({ tls: { ...tls, isImplicit: mode === "implicit" } });
  const result = await createSmtp(settings(server.port, { host: "localhost", tls: mode })).send(mail);
  expect(result).toMatchObject({ isSent: false, isFinal: false });
  expect(server.received).toEqual([]);
});

test("a wrong password is not the end of a mail, a refused recipient is", async () => {
  await using server = await startMailServer({ user: { name: "out", password: "secret" } });
  const wrong = await createSmtp(settings(server.port, { user: "out", password: "wrong" })).send(mail);
  expect(wrong).toMatchObject({ isSent: false, isFinal: false });
  const smtp = createSmtp(settings(server.port, { user: "out", password: "secret" }));
  server.refuse({ code: 450, message: "try later" });
  expect(await smtp.send(mail)).toMatchObject({ isSent: false, isFinal: false });
  server.refuse({ code: 550, message: "no such user" });
  expect(await smtp.send(mail)).toMatchObject({ isSent: false, isFinal: true });
});

test("a server that is down is reported, and used once it is there", async () => {
  const server = await startMailServer();
  const smtp = createSmtp(settings(server.port));
  await server[Symbol.asyncDispose]();
  expect(await smtp.send(mail)).toMatchObject({ isSent: false, isFinal: false });
});
