import { afterAll, expect } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { NotificationSettingsView } from "../../src/features/mail/model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { startMailServer, type ReceivedMail } from "../support/mail-server.ts";
import { accountOf, hour, schedule, scripted } from "../support/network-api.ts";
import { api as prospecting, people } from "../support/prospecting-api.ts";
import { calmed, eventually, startService, succeeded, testInProcess, type Service } from "../support/service.ts";
import { createClone, pretendEngine, spokenWav } from "../support/voices.ts";

/** Notifications as they arrive at a mail server. What else is mailed is in mail.test.ts. */

const publicUrl = "http://outreach.example.com";
const server = await startMailServer();
afterAll(() => server[Symbol.asyncDispose]());

const settings = {
  ...{ PUBLIC_URL: publicUrl, SMTP_HOST: "127.0.0.1", SMTP_PORT: server.port, SMTP_TLS: "none" },
  ...{ SMTP_FROM: "outreachd@example.com", CONNECTOR: "simulated", VOICE_ENGINE: "xtts" },
};

type World = { service: Service; user: Client; email: string; clock: FakeClock };

/** A service at ten o'clock on a Monday, and a user who gets the mails. */
async function withMail(
  options: Parameters<typeof startService>[0],
  run: (world: World) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock();
  await using service = await startService({ ...options, settings, clock });
  const email = `${crypto.randomUUID()}@example.com`;
  const user = await calmed(await service.user({ email }));
  // What happened before mail was turned on is not mailed.
  await service.chore("queue notifications");
  await run({ service, user, email, clock });
}

/** All mails to the user, once those that are due have been sent. */
async function mailsTo({ service, email }: World): Promise<ReceivedMail[]> {
  await service.chore("queue notifications");
  // The timer of the server may be sending already.
  await eventually("all mails", async () => {
    await service.chore("send mail");
    await using database = await service.openDatabase();
    return (await database.all("SELECT id FROM mail_outbox WHERE state = 'pending'")).length === 0 ? true : null;
  });
  return server.received.filter(({ to }) => to.includes(email));
}

testInProcess("an account that the network signed out is mailed to its member, with the way to reconnect it", () => {
  const script = scripted({ kind: "signedOut", reason: "Signed in elsewhere.\r\nBcc: eve@example.com" });
  return withMail({ connectors: script.connectors }, async (world) => {
    const { service, user } = world;
    await schedule(user, "ada");
    await service.idle();
    const { id, state } = await accountOf(user);
    expect(state).toBe("needsReconnect");
    const [{ headers, text }] = (await mailsTo(world)) as [ReceivedMail];
    expect(headers["subject"]).toBe("A network account must be reconnected");
    expect(text).toContain("Reason: Signed in elsewhere. Bcc: eve@example.com");
    expect(text).toContain(`${publicUrl}/app/settings/accounts/${id}`);
    expect(text).toContain(`${publicUrl}/app/settings?part=profile`);
    expect(text).not.toContain("network.example/in/ada");
  });
});

testInProcess("a voice that is trained, and one whose training failed, are mailed to whoever trains them", () => {
  const vendor = pretendEngine((_material, run) =>
    run === 1
      ? { kind: "trained", artefact: "voice", notes: [] }
      : { kind: "failed", reason: "The vendor refused the recording." },
  );
  return withMail({ voiceEngines: { xtts: vendor.engine } }, async (world) => {
    const { service, user } = world;
    const { voiceId, jobId } = succeeded(await createClone(user, [["ada.wav", await spokenWav(12)]])).data;
    await service.ended(user, jobId);
    const [ready] = (await mailsTo(world)) as [ReceivedMail];
    expect(ready.headers["subject"]).toBe("Your voice is ready");
    expect(ready.text).toContain(`${publicUrl}/app/voice/${voiceId}`);
    const again = succeeded(await user.post<{ jobId: string }>(`/api/v2/voice-clones/${voiceId}/train`)).data;
    await service.ended(user, again.jobId);
    const [, failed] = (await mailsTo(world)) as [ReceivedMail, ReceivedMail];
    expect(failed.headers["subject"]).toBe("Training of your voice failed");
    expect(failed.text).toContain("Reason: ");
    expect(failed.text).toContain("The vendor refused the recording.");
  });
});

testInProcess("imports of leads and prospects are mailed with their counts", () =>
  withMail({}, async (world) => {
    const { service, user } = world;
    const headers = { "content-type": "text/csv" };
    const started = await user.post<JobView>(`${prospecting}/import`, people, { headers });
    await service.ended(user, succeeded(started).data.id);
    const [{ headers: first, text }] = (await mailsTo(world)) as [ReceivedMail];
    expect(first["subject"]).toBe("Import completed: prospects");
    expect(text).toContain("created: 4");
    expect(text).toContain(`${publicUrl}/app/prospects`);
    expect(text).not.toContain("ada@engines.example");
    const leads = await user.post<JobView>("/api/v2/leads/import", "email\nx@example.org\nno address\n", { headers });
    await service.ended(user, succeeded(leads).data.id);
    const [, second] = (await mailsTo(world)) as [ReceivedMail, ReceivedMail];
    expect(second.headers["subject"]).toBe("Import completed: leads");
    expect(second.text).toMatch(/created: 1[^]*failed: 1/);
  }),
);

testInProcess(
  "a reply is mailed without what was written, and the digest of the day follows in the morning, once",
  () =>
    withMail({}, async (world) => {
      const { user, clock } = world;
      const path = "/api/v2/users/me/notifications";
      const kinds = { dailyDigest: true };
      expect(succeeded(await user.put<NotificationSettingsView>(path, { kinds })).data.kinds).toMatchObject(kinds);
      const profileUrl = "https://network.example/in/grace";
      const replied = { profileUrl, event: "replied", text: "Tell me more about the price" };
      succeeded(await user.post("/api/v2/network/contacts/events", replied));
      const [reply] = (await mailsTo(world)) as [ReceivedMail];
      expect(reply.headers["subject"]).toBe("You have a message");
      expect(reply.text).toMatch(/\/app\/inbox\?c=[\w-]+/);
      expect(reply.text).not.toContain("price");

      const digests = async () => {
        await world.service.chore("queue daily digests");
        return (await mailsTo(world)).filter(({ headers }) => headers["subject"] !== "You have a message");
      };
      clock.advanceTo(startOfTests + 22 * hour - 1);
      expect(await digests()).toEqual([]);
      clock.advance(1);
      const [digest] = (await digests()) as [ReceivedMail];
      expect(digest.headers["subject"]).toBe("The last 24 hours in outreachd");
      expect(digest.text).toContain("  1 message received");
      expect(digest.text).not.toMatch(/price|grace/);
      clock.advance(hour);
      expect(await digests()).toHaveLength(1);
      // A day on which nothing happened has none.
      clock.advance(24 * hour);
      expect(await digests()).toHaveLength(1);
    }),
);
