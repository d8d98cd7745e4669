import { expect, test } from "bun:test";
import { fieldsOf } from "../../src/features/enrichment/fields.ts";
import { LookUp } from "../../src/features/enrichment/look-up.ts";
import type { EnrichmentProvider, LookUpOutcome } from "../../src/features/enrichment/provider.ts";
import { GuardedProvider } from "../../src/features/enrichment/provider-guard.ts";
import { SharedLookUps } from "../../src/features/enrichment/shared-look-ups.ts";
import { Spending } from "../../src/features/enrichment/spending.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { FakeClock } from "../support/clock.ts";
import { nobody } from "../support/vendors.ts";

const found: LookUpOutcome = { kind: "found", findings: [{ field: "title", value: "CTO", confidence: 0.9 }], spent: 1 };
const failed: LookUpOutcome = { kind: "failed", reason: "broken" };

/** Look-ups of one person, who is asked about with a first provider that knows the place, and a second that waits. */
function arrange() {
  const clock = new FakeClock();
  const signals: AbortSignal[] = [];
  const answers: ((outcome: LookUpOutcome) => void)[] = [];
  const place: EnrichmentProvider = {
    name: "place",
    fields: ["location"],
    fieldsFor: () => ["location"],
    lookUp: async () => ({
      kind: "found",
      findings: [{ field: "location", value: "London", confidence: 0.9 }],
      spent: 0,
    }),
  };
  const title: EnrichmentProvider = {
    name: "title",
    fields: ["title"],
    fieldsFor: () => ["title"],
    lookUp: (_subject, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => answers.push(resolve));
    },
  };
  const settings = { timeoutMs: 1000, spendCap: null };
  const providers = [place, title].map(
    (provider) => new GuardedProvider(provider, settings, new Spending(clock), clock, createLog("silent")),
  );
  const wanted = fieldsOf(["personal"]);
  const shared = new SharedLookUps();
  const join = (key = "ada") => {
    const begin = (signal: AbortSignal) =>
      new LookUp(nobody, { wanted, providers, context: { workspaceId: "u", leadId: null, signal }, clock });
    const joined = shared.find(key) ?? shared.start(key, begin);
    joined.hold();
    return joined;
  };
  /** Until all who can go on have gone on. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { shared, join, signals, answers, settle };
}
const patient = new AbortController().signal;

test("those who join get what the first finds, also when it is done but not stored yet", async () => {
  const { shared, join, answers, settle } = arrange();
  const first = join();
  const both = [first.result(patient), join().result(patient)];
  await settle();
  expect(answers).toHaveLength(1);
  answers[0]!(found);
  const late = join();
  for (const looked of [...(await Promise.all(both)), await late.result(patient)])
    expect(looked).toMatchObject({ merged: { title: { value: "CTO" } }, unavailable: [] });
  expect(answers).toHaveLength(1);
  for (let holder = 0; holder < 3; holder++) {
    expect(shared.find("ada")).toBe(first);
    late.release();
  }
  expect(shared.find("ada")).toBeNull();
});

test("who gives up gets what is known by then, and the others go on waiting", async () => {
  const { join, answers, signals, settle } = arrange();
  const hasty = new AbortController();
  const [first, second] = [join().result(hasty.signal), join().result(patient)];
  await settle();
  hasty.abort();
  expect(await first).toMatchObject({ merged: { location: { value: "London" } }, unavailable: ["title"] });
  expect(signals[0]?.aborted).toBe(false);
  answers[0]!(found);
  expect(await second).toMatchObject({ merged: { title: { value: "CTO" } }, unavailable: [] });
});

test("with the last one who waits the look-up is given up, and nobody joins it any more", async () => {
  const { shared, join, signals, settle } = arrange();
  const hasty = new AbortController();
  const both = [join().result(hasty.signal), join().result(hasty.signal)];
  await settle();
  hasty.abort();
  expect(signals[0]?.aborted).toBe(true);
  expect(shared.find("ada")).toBeNull();
  for (const looked of await Promise.all(both)) expect(looked).toMatchObject({ unavailable: ["title"] });
  void join().result(patient);
  await settle();
  expect(signals).toHaveLength(2);
});

test("one that could not ask everybody is told to those who wait, and to nobody who comes later", async () => {
  const { shared, join, answers, settle } = arrange();
  const both = [join().result(patient), join().result(patient)];
  await settle();
  answers[0]!(failed);
  for (const looked of await Promise.all(both)) expect(looked).toMatchObject({ unavailable: ["title"] });
  expect(shared.find("ada")).toBeNull();
  void join("other").result(patient);
  await settle();
  expect(answers).toHaveLength(2);
});
