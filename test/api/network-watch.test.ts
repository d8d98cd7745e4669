import { expect } from "bun:test";
import type { Connector } from "../../src/features/network/connector.ts";
import { conversationNews, type News, type WatchedPerson } from "../../src/features/network/contact-model.ts";
import { testInProcess } from "../support/service.ts";
import { atWork, changeAccount, minute, schedule } from "../support/network-api.ts";

const allDay = [{ from: "00:00", to: "24:00" }];
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const many = { day: 1000, week: 1000 };
const tireless = {
  workingHours: Object.fromEntries(days.map((day) => [day, allDay])),
  spacing: { medianSeconds: 0, minSeconds: 0 },
  caps: { all: many, invites: many, messages: many },
};

/** A network whose people have all reacted, but that is asked about only a few of them at once. */
function reacting(limits: Connector["watchLimits"]) {
  const calls: (readonly WatchedPerson[])[] = [];
  const connector: Connector = {
    carryOut: async () => ({ kind: "completed", reference: null }),
    watch: async (watched) => {
      calls.push(watched);
      if (calls.length === 2) throw new Error("Unreachable");
      return watched.flatMap(({ profileKey, waitsFor, since }): News[] =>
        profileKey.endsWith("-silent")
          ? []
          : [{ profileKey, kind: waitsFor === "acceptance" ? "accepted" : "replied", at: since + 1 }],
      );
    },
    ...(limits !== undefined && { watchLimits: limits }),
  };
  return { calls, connectors: { simulated: connector } };
}

testInProcess("everyone is asked about in turn when there are too many for one check", async () => {
  const { calls, connectors } = reacting({ acceptance: 10, reply: 4 });
  await using world = await atWork({ connectors });
  await changeAccount(world.user, tireless);
  for (let n = 0; n < 12; n++) await schedule(world.user, `invited-${n}`);
  for (let n = 0; n < 3; n++)
    await schedule(world.user, `messaged-${n}`, { actionType: "sendMessage", message: "Hello" });
  await world.pass(minute);
  // Later ones, who never react.
  for (let n = 0; n < 12; n++) await schedule(world.user, `invited-${n}-silent`);
  for (let n = 0; n < 12; n++)
    await schedule(world.user, `messaged-${n}-silent`, { actionType: "sendMessage", message: "Hello" });
  await world.pass(minute);

  // 24 people, 5 of them in turn; 15 people, 2 of them in turn.
  const checks = Math.max(Math.floor(24 / 5) + 1, Math.floor(15 / 2) + 1);
  for (let check = 0; check < checks; check++) {
    await world.service.watch();
    await world.pass(10 * minute);
  }
  const asked = (kind: WatchedPerson["waitsFor"]) =>
    new Set(
      calls.flatMap((watched) => watched.filter(({ waitsFor }) => waitsFor === kind)).map((one) => one.profileKey),
    );
  expect(asked("acceptance").size).toBe(24);
  expect(asked("reply").size).toBe(15);
  for (const watched of calls)
    for (const [kind, limit] of [
      ["acceptance", 10],
      ["reply", 4],
    ] as const)
      expect(watched.filter(({ waitsFor }) => waitsFor === kind).length).toBeLessThanOrEqual(limit);
});

testInProcess(
  "messages of strangers, and those written by hand, are read once, also after a check that failed",
  async () => {
    const ofAccounts = new Map<string, (number | null)[]>();
    const start = Date.parse("2026-01-05T10:00:00Z");
    const profileKey = "https://linkedin.com/in/stranger";
    const written = [
      { id: "m1", at: start, text: "Do you have a minute?" },
      { id: "m2", at: start + 1000, text: "Sure!", isOutgoing: true as const },
    ];
    const connector: Connector = {
      carryOut: async () => ({ kind: "completed", reference: null }),
      readMessages: async ({ since }, { id }) => {
        const checks = ofAccounts.get(id) ?? [];
        ofAccounts.set(id, checks);
        checks.push(since);
        if (checks.length === 2) return null;
        if (checks.length === 3) throw new Error("Unreachable");
        const messages = written.slice(0, checks.length);
        return { news: [conversationNews({ profileKey, personName: "Sam" }, messages)], readTo: start + checks.length };
      },
    };
    await using world = await atWork({ connectors: { simulated: connector } });
    for (let check = 0; check < 5; check++) await world.service.watch();
    for (const checks of ofAccounts.values())
      expect(checks).toEqual([null, start + 1, start + 1, start + 1, start + 4]);

    const path = "/api/v2/inbox/conversations";
    type Conversations = { conversations: { id: string; personName: string; unread: number }[] };
    const { conversations } = (await world.user.get<Conversations>(path)).data;
    expect(conversations).toMatchObject([{ personName: "Sam", unread: 1 }]);
    type Messages = { messages: { direction: string; text: string }[] };
    const { messages } = (await world.user.get<Messages>(`${path}/${conversations[0]?.id}/messages`)).data;
    expect(messages.map(({ direction, text }) => `${direction}: ${text}`)).toEqual([
      ...["outgoing: Sure!", "incoming: Do you have a minute?"],
    ]);
  },
);
