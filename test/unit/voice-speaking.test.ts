import { expect, setDefaultTimeout, test } from "bun:test";
import { SpeakingClient } from "../../src/features/voice/speaking-client.ts";
import { defaultVoiceSettings } from "../../src/features/voice/model.ts";
import { FakeClock } from "../support/clock.ts";

// A thread is started: slow on a busy machine.
setDefaultTimeout(30_000);

test("what a line is warmed up with reaches nobody, and whoever speaks then is answered", async () => {
  const line = new SpeakingClient(new FakeClock());
  try {
    line.warm("{}");
    line.warm("{}");
    const outcome = await line.speak("{}", "Hello.", defaultVoiceSettings, AbortSignal.timeout(25_000));
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("Retrain it") });
  } finally {
    line.stop();
  }
});
