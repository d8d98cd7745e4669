import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { startService } from "../support/service.ts";
import { ask, cloneForm, section, tone, type Json } from "./support.ts";

setDefaultTimeout(120_000);
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

section("3.1 Voice clone", (says) => {
  says("is trained asynchronously: a client observes the state by listing clones", async () => {
    const { body } = await ask(service, "POST", "/voice-clones", { form: cloneForm([["a.wav", tone(1)]]) });
    const { voiceId, jobId } = body["data"];
    const state = async (): Promise<string> => {
      const list = await ask(service, "GET", "/voice-clones");
      return list.body["data"].voiceClones.find((clone: Json) => clone["voiceId"] === voiceId).status;
    };
    expect(["processing", "failed"]).toContain(await state());
    await service.ended(service.admin, jobId);
    // A tone is no speech: that is said, not hidden.
    expect(await state()).toBe("failed");
  });
  says("a clone in processing state reports a training progress in percent", async () => {
    const { body } = await ask(service, "POST", "/voice-clones", { form: cloneForm([["b.wav", tone(2)]]) });
    const list = await ask(service, "GET", "/voice-clones");
    const clone = list.body["data"].voiceClones.find(({ voiceId }: Json) => voiceId === body["data"].voiceId);
    if (clone.status === "processing") expect(clone.progress >= 0 && clone.progress <= 100).toBe(true);
  });
});

section("3.2 Lead", (says) => {
  says("the status is set by a client through the update route", async () => {
    const { body } = await ask(service, "POST", "/leads", { json: { email: "state@x.example" } });
    for (const status of ["contacted", "qualified", "converted", "unqualified", "new"]) {
      const changed = await ask(service, "PUT", `/leads/${body["data"].id}`, { json: { status } });
      expect(changed.body["data"].status).toBe(status);
    }
  });
  says("active, inactive and contacted are filter values", async () => {
    for (const status of ["active", "inactive", "contacted"])
      expect((await ask(service, "GET", `/leads?status=${status}`)).status).toBe(200);
  });
});
