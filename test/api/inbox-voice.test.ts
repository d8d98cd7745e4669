import { expect } from "bun:test";
import type { ConversationView, MessageView } from "../../src/features/inbox/model.ts";
import type { Connector, VoiceAudio } from "../../src/features/network/connector.ts";
import { atWork, errorPaths, minute } from "../support/network-api.ts";
import { succeeded, testInProcess } from "../support/service.ts";
import { createClone, pretendEngine, spokenWav } from "../support/voices.ts";

const inbox = "/api/v2/inbox/conversations";
const profileUrl = "https://network.example/in/ada";
type Reply = { message: MessageView; isNew: boolean };

testInProcess("a reply is spoken by a voice that is ready, and counts as a voice message of its length", async () => {
  const sent: { text: string | null; audio: VoiceAudio | null }[] = [];
  const connector: Connector = {
    async carryOut({ message, audio }) {
      sent.push({ text: message, audio });
      return { kind: "completed", reference: null };
    },
  };
  const voice = pretendEngine();
  await using world = await atWork({ connectors: { simulated: connector }, voiceEngines: { local: voice.engine } });
  const { user, service } = world;
  succeeded(await user.post("/api/v2/leads", { networkUrl: profileUrl, firstName: "Ada" }));
  succeeded(await user.post("/api/v2/network/contacts/events", { profileUrl, event: "replied", text: "Call me!" }));
  const { conversations } = succeeded(await user.get<{ conversations: ConversationView[] }>(inbox)).data;
  const path = `${inbox}/${conversations[0]!.id}`;
  const reply = (body: object) => user.post<Reply>(`${path}/reply`, body);

  const made = succeeded(await createClone(user, [["ada.wav", await spokenWav(12)]])).data;
  const early = await reply({ message: "Hello {{firstName}}!", voiceId: made.voiceId });
  expect([early.status, errorPaths(early)]).toEqual([400, ["voiceId"]]);
  expect((await service.ended(user, made.jobId)).status).toBe("completed");
  const unknown = await reply({ message: "Hello", voiceId: "nobody" });
  expect([unknown.status, errorPaths(unknown)]).toEqual([400, ["voiceId"]]);
  const tooLong = await reply({ message: "x".repeat(1001), voiceId: made.voiceId });
  expect([tooLong.status, errorPaths(tooLong)]).toEqual([400, ["message"]]);

  const body = { message: "Hello {{firstName}}!", voiceId: made.voiceId };
  const first = succeeded(await reply(body)).data;
  expect(first).toMatchObject({ isNew: true, message: { kind: "voiceMessage", text: "Hello Ada!", state: "queued" } });
  await world.pass(minute);
  const { messages } = succeeded(await user.get<{ messages: MessageView[] }>(`${path}/messages`)).data;
  expect(messages[0]).toMatchObject({ id: first.message.id, kind: "voiceMessage", state: "sent", seconds: 1 });
  expect(voice.spoken.map(({ text }) => text)).toEqual(["Hello Ada!"]);
  expect(sent).toMatchObject([{ text: "Hello Ada!", audio: { mediaType: expect.stringContaining("audio/") } }]);
  expect(sent[0]?.audio?.bytes.length).toBeGreaterThan(1000);

  const member = await service.keyOf(user, ["network:read", "network:schedule"]);
  const refused = await member.post(`${path}/reply`, body);
  expect([refused.status, refused.code]).toEqual([403, "PERMISSION_DENIED"]);
});
