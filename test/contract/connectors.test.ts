import { describe, expect, test } from "bun:test";
import type { ConnectorName, NetworkAccount } from "../../src/features/network/account-model.ts";
import { actionKinds, actionTypes, type ActionType } from "../../src/features/network/action-kinds.ts";
import { refusals } from "../../src/features/network/action-model.ts";
import { type ActionOrder, type Connector, type ConnectorOutcome } from "../../src/features/network/connector.ts";
import { defaultSimulationRates } from "../../src/features/network/simulation.ts";
import { createConnectors, type ConnectorConfig } from "../../src/adapters/providers/network/connectors.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { accountOf, orderOf } from "../support/orders.ts";
import { startLinkedapi } from "../support/vendors/linkedapi.ts";
import { disorders, type Disorder, type Loopback } from "../support/vendors/loopback.ts";
import { idOf, startUnipile } from "../support/vendors/unipile.ts";
import { startWebhookReceiver, webhookSecret } from "../support/vendors/webhook-receiver.ts";

/** A connector with the vendor that it speaks with, in order and ready for the people below. */
type World = {
  connector: Connector;
  account: NetworkAccount;
  vendor: Loopback | null;
  clock: FakeClock;
  /** What must stand in no reason. */
  secrets: string[];
  /** How an order ends when all is well; else what the vendor has no way for. */
  supports: (type: ActionType) => boolean;
  [Symbol.asyncDispose](): Promise<void>;
};

const never = new AbortController().signal;
const nothing: ConnectorConfig = {
  webhookSecret: null,
  privateHosts: [],
  unipileUrl: null,
  unipileApiKey: null,
  linkedapiUrl: "https://api.linkedapi.io",
  linkedapiToken: null,
  linkedapiIdentifications: null,
  simulation: { seed: 1, rates: defaultSimulationRates },
};

function worldOf(
  name: ConnectorName,
  vendor: Loopback | null,
  config: Partial<ConnectorConfig>,
  settings: Record<string, string>,
  secrets: string[] = [],
  supports: World["supports"] = () => true,
): World {
  const clock = new FakeClock();
  return {
    connector: createConnectors({ ...nothing, ...config }, clock)[name],
    account: accountOf({ connector: name, connectorSettings: settings }),
    vendor,
    clock,
    secrets,
    supports,
    [Symbol.asyncDispose]: async () => await vendor?.[Symbol.asyncDispose](),
  };
}

const worlds: Record<ConnectorName, () => World | Promise<World>> = {
  manual: () => worldOf("manual", null, {}, {}),
  worker: () => worldOf("worker", null, {}, {}),
  simulated: () => worldOf("simulated", null, {}, {}),
  webhook: async () => {
    const receiver = await startWebhookReceiver();
    const config = { webhookSecret, privateHosts: ["127.0.0.1"] };
    const url = `${receiver.url}/actions?key=hidden-in-the-url`;
    return worldOf("webhook", receiver, config, { url }, [webhookSecret, "hidden-in-the-url"]);
  },
  unipile: async () => {
    const vendor = await startUnipile();
    const posts = [{ social_id: "urn:li:activity:7332661864792854528" }];
    const skills = [{ name: "Mathematics", endorsement_id: 42 }];
    vendor.members.set("ada", { name: "ada", relation: "none" });
    vendor.members.set("bob", { name: "bob", relation: "connected", posts, skills });
    vendor.members.set("cem", { name: "cem", relation: "pending" });
    const config = { unipileUrl: vendor.url, unipileApiKey: vendor.apiKey };
    const supports = (type: ActionType) => type !== "followProfile";
    return worldOf("unipile", vendor, config, { accountId: vendor.accountId }, [vendor.apiKey], supports);
  },
  linkedapi: async () => {
    const vendor = await startLinkedapi();
    const config = {
      linkedapiUrl: vendor.url,
      linkedapiToken: vendor.token,
      linkedapiIdentifications: vendor.identifications,
    };
    const secrets = [vendor.token, ...Object.values(vendor.identifications)];
    const supports = (type: ActionType) => !["followProfile", "endorseSkill", "sendVoiceMessage"].includes(type);
    return worldOf("linkedapi", vendor, config, { identification: "ada" }, secrets, supports);
  },
};
const names = Object.keys(worlds) as ConnectorName[];
const live = ["webhook", "unipile", "linkedapi"] as const;

/** An order that can be carried out, to a person who fits. */
function possible(actionType: ActionType): ActionOrder {
  const person = { sendConnectionRequest: "ada", withdrawConnectionRequest: "cem" } as Partial<Record<string, string>>;
  return orderOf({
    actionType,
    profileUrl: `https://www.linkedin.com/in/${person[actionType] ?? "bob"}`,
    message: actionKinds[actionType].text === "required" ? "Hello, how are you?" : null,
    details: actionType === "sendInMail" ? { subject: "A question" } : {},
    audio:
      actionType === "sendVoiceMessage"
        ? { bytes: new Uint8Array([1, 2, 3]), mediaType: "audio/mp4", seconds: 2 }
        : null,
  });
}

/** Fails for an outcome that a person could not make sense of, or that gives a secret away. */
function expectSound(outcome: ConnectorOutcome, { secrets, clock }: World): void {
  if ("reason" in outcome) {
    expect(outcome.reason).toMatch(/^[A-Z][^\n\r]{5,400}[.!?…]$/u);
    expect(outcome.reason).not.toMatch(/<|\[object|undefined|null/);
  }
  if (outcome.kind === "refused") expect(refusals).toContain(outcome.refusal);
  if (outcome.kind === "busy" || (outcome.kind === "limited" && outcome.retryAt !== null))
    expect(outcome.retryAt).toBeGreaterThan(clock.now());
  for (const secret of secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
}

describe.each(names)("the %s connector", (name) => {
  test.each([...actionTypes])("carries out %s, hands it on, or names who can't", async (actionType) => {
    await using world = await worlds[name]();
    const outcome = await world.connector.carryOut(possible(actionType), world.account, never);
    expectSound(outcome, world);
    if (world.supports(actionType)) expect(["completed", "delegated"]).toContain(outcome.kind);
    else expect(outcome).toMatchObject({ kind: "refused", refusal: "notSupported" });
  });

  test("answers what became of an order that it handed on", async () => {
    await using world = await worlds[name]();
    if (world.connector.follow === undefined) return;
    const order = possible("sendConnectionRequest");
    const outcome = await world.connector.carryOut(order, world.account, never);
    if (outcome.kind !== "delegated") return;
    const end = await world.connector.follow(outcome.reference ?? "", order, world.account, never);
    expect(end).toMatchObject({ kind: "completed", relation: "pending" });
  });

  test("knows no news of people who did nothing", async () => {
    await using world = await worlds[name]();
    const { profileUrl, profileKey } = possible("sendConnectionRequest");
    const watched = [{ profileUrl, profileKey, waitsFor: "acceptance" as const, since: startOfTests }];
    expect((await world.connector.watch?.(watched, world.account, never)) ?? []).toEqual([]);
  });

  test("finds no problem with an account that is set up", async () => {
    await using world = await worlds[name]();
    expect(world.connector.problem?.(world.account) ?? null).toBeNull();
  });

  test("does nothing for a caller who has given up already", async () => {
    await using world = await worlds[name]();
    const outcome = await world.connector.carryOut(
      possible("sendConnectionRequest"),
      world.account,
      AbortSignal.abort(),
    );
    expectSound(outcome, world);
    expect(["busy", "delegated"]).toContain(outcome.kind);
    expect(world.vendor?.requests ?? []).toEqual([]);
  });
});

describe.each(live)("the %s connector", (name) => {
  test("without what it needs holds the account, and says what is missing", async () => {
    await using world = await worlds[name]();
    for (const connector of [world.connector, createConnectors(nothing, world.clock)[name]]) {
      const account = accountOf({ connector: name });
      const reason = connector.problem?.(account);
      expect(reason).toMatch(/(connectorSettings\.|OUTREACHD_)/);
      const outcome = await connector.carryOut(possible("sendMessage"), account, never);
      expect(outcome).toEqual({ kind: "signedOut", reason: reason ?? "" });
      expectSound(outcome, world);
    }
  });

  test("tries again later when nobody takes the connection, as nothing was sent", async () => {
    const world = await worlds[name]();
    await world[Symbol.asyncDispose]();
    const outcome = await world.connector.carryOut(possible("sendMessage"), world.account, never);
    expectSound(outcome, world);
    expect(outcome.kind).toBe("busy");
  });

  test.each(disorders.filter((disorder) => disorder !== "hanging"))(
    "never takes an order for sent when the vendor's answer is %s",
    async (disorder) => {
      await using world = await worlds[name]();
      world.vendor?.breakWith(disorder);
      for (const actionType of actionTypes.filter(world.supports)) {
        const outcome = await world.connector.carryOut(possible(actionType), world.account, never);
        expectSound(outcome, world);
        expect(["unknown", "busy"]).toContain(outcome.kind);
      }
      expect(world.vendor?.requests.length).toBeGreaterThan(0);
    },
  );

  test.each<Disorder>(disorders.filter((disorder) => disorder !== "hanging"))(
    "has an unknown outcome when the very action ends in %s",
    async (disorder) => {
      await using world = await worlds[name]();
      world.vendor?.breakWith(disorder, ({ method }) => method !== "GET");
      const outcome = await world.connector.carryOut(possible("sendConnectionRequest"), world.account, never);
      expectSound(outcome, world);
      expect(outcome.kind).toBe("unknown");
    },
  );

  test("ends with the caller's patience when the vendor never answers", async () => {
    await using world = await worlds[name]();
    world.vendor?.breakWith("hanging", ({ method }) => method !== "GET");
    const patience = new AbortController();
    const carrying = world.connector.carryOut(possible("sendConnectionRequest"), world.account, patience.signal);
    await world.vendor?.hasHung();
    patience.abort();
    const outcome = await carrying;
    expectSound(outcome, world);
    expect(outcome).toEqual({ kind: "unknown", reason: expect.stringContaining("did not respond in time") });
    expect(world.clock.pending).toEqual([]);
  });

  test("gives a silent vendor up by itself; before the action nothing was done", async () => {
    for (const [when, kind] of [
      ["GET", "busy"],
      ["POST", "unknown"],
    ] as const) {
      await using world = await worlds[name]();
      world.vendor?.breakWith("hanging", ({ method }) => method === when);
      const carrying = world.connector.carryOut(possible("sendConnectionRequest"), world.account, never);
      const first = await Promise.race([carrying, world.vendor?.hasHung()]);
      world.clock.advance(25_000);
      // Who asks nothing before the action has no silence to fear there.
      if (first === undefined) expect((await carrying).kind).toBe(kind);
      else expect(name).not.toBe("unipile");
    }
  });

  test("tells two orders at once apart", async () => {
    await using world = await worlds[name]();
    const both = [possible("sendMessage"), possible("sendMessage")];
    const outcomes = await Promise.all(both.map((order) => world.connector.carryOut(order, world.account, never)));
    const references = outcomes.map((outcome) => ("reference" in outcome ? outcome.reference : outcome.kind));
    expect(outcomes.every(({ kind }) => kind === "completed" || kind === "delegated")).toBe(true);
    if (name !== "webhook") expect(new Set(references).size).toBe(2);
  });
});

test("no connector speaks with another host of the operator's network, whatever an account says", async () => {
  const receiver = await startWebhookReceiver();
  await using _ = receiver;
  const connector = createConnectors({ ...nothing, webhookSecret, privateHosts: ["n8n"] }, new FakeClock()).webhook;
  for (const url of [
    receiver.url,
    receiver.url.replace("http", "https"),
    receiver.url.replace("127.0.0.1", "localhost"),
  ]) {
    const account = accountOf({ connector: "webhook", connectorSettings: { url } });
    const outcome = await connector.carryOut(orderOf(), account, never);
    expect(["signedOut", "refused"]).toContain(outcome.kind);
  }
  expect(receiver.requests).toEqual([]);
});

test("ids of people keep their case on the way to the vendor", async () => {
  await using world = await worlds.unipile();
  const order = orderOf({ profileUrl: `https://www.linkedin.com/in/${idOf("ada")}/` });
  expect(await world.connector.carryOut(order, world.account, never)).toMatchObject({ kind: "completed" });
});
