import { expect, test } from "bun:test";
import { createManualConnector } from "../../src/providers/network/manual.ts";
import { createSimulatedConnector } from "../../src/providers/network/simulated.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const never = new AbortController().signal;

test("the manual connector hands every action to a person", async () => {
  const { account, action } = createAction("ada");
  expect(await createManualConnector().carryOut(action, account, never)).toEqual({ kind: "awaiting" });
});

test.each([
  ["ada", { kind: "sent" }],
  ["refused-ada", { kind: "refused" }],
  ["unknown-ada", { kind: "unknown" }],
])("on the simulated network an action for %s ends as %j, each time", async (profile, outcome) => {
  const connector = createSimulatedConnector(new FakeClock());
  const { account, action } = createAction(profile);
  for (let n = 0; n < 2; n++) expect(await connector.carryOut(action, account, never)).toMatchObject(outcome);
});

test("on the simulated network a busy person is free a minute later, each action by itself", async () => {
  const connector = createSimulatedConnector(new FakeClock());
  const [first, second] = [createAction("busy-ada", 1), createAction("busy-bob", 2)];
  const busy = { kind: "busy", retryAt: startOfTests + 60_000 };
  expect(await connector.carryOut(first.action, first.account, never)).toMatchObject(busy);
  expect(await connector.carryOut(second.action, second.account, never)).toMatchObject(busy);
  expect(await connector.carryOut(first.action, first.account, never)).toMatchObject({ kind: "sent" });
  expect(await connector.carryOut(second.action, second.account, never)).toMatchObject({ kind: "sent" });
});

function createAction(profile: string, seed = 1) {
  const make = createFactories(seed);
  const { account } = make.newUser();
  const { action } = make.actionRequest(account, { action: { profileUrl: `https://network.example/in/${profile}` } });
  return { account, action };
}
