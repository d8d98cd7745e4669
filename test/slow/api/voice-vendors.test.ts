import { expect, setDefaultTimeout, test } from "bun:test";
import { wavBytes } from "../../../src/lib/audio/wav/encode-wav.ts";
import { startService } from "../../support/service.ts";
import { startElevenlabs } from "../../support/vendors/elevenlabs.ts";
import { speech } from "../../support/voice-signals.ts";

setDefaultTimeout(60_000);

type Created = { data: { voiceId: string; jobId: string } };

async function recording(): Promise<FormData> {
  const form = new FormData();
  form.set("name", "Ada");
  form.append("files", new File([new Uint8Array(wavBytes(await speech("rms", 15), 16_000))], "ada.wav"));
  return form;
}

test("a voice is trained at a vendor, speaks there, and names the vendor's reason when it can't", async () => {
  await using vendor = await startElevenlabs();
  const settings = {
    VOICE_ENGINE: "elevenlabs",
    ELEVENLABS_URL: vendor.url,
    ELEVENLABS_API_KEY: vendor.apiKey,
  };
  await using service = await startService({ settings });
  const user = await service.user();
  const headers = { "x-api-key": user.key ?? "" };
  const created = await fetch(`${service.url}/api/v2/voice-clones`, {
    method: "POST",
    headers,
    body: await recording(),
  });
  const { voiceId, jobId } = ((await created.json()) as Created).data;
  expect((await service.ended(user, jobId)).status).toBe("completed");
  expect([...vendor.voices.keys()]).toEqual(["voice1"]);

  const preview = (text: string) =>
    fetch(`${service.url}/api/v2/voice-clones/${voiceId}/preview`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ text }),
    });
  const spoken = await preview("Good morning.");
  expect(spoken.status).toBe(200);
  expect((await spoken.bytes()).length).toBeGreaterThan(100_000);
  expect(vendor.spoken.map(({ text }) => text)).toEqual(["Good morning."]);

  const detail = { status: "quota_exceeded", message: "You have 3 credits left" };
  vendor.refuseNext(Response.json({ detail }, { status: 401 }), ({ path }) => path.includes("text-to-speech"));
  const refused = await preview("Good evening.");
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("The quota at ElevenLabs is used up: You have 3 credits left.");
});
