import { expect, test } from "bun:test";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const account = {
  ...{ id: "a1", name: "Ada", state: "active", connector: "manual", tier: "premium", timeZone: "Europe/Berlin" },
  holidays: [
    { from: "2030-05-01", to: "2030-05-01", name: "" },
    { from: "2030-12-24", to: "2030-12-26", name: "Christmas" },
  ],
};

async function run(...args: string[]) {
  const sent: unknown[] = [];
  const api = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    if (pathname.endsWith("/accounts")) return success({ accounts: [account], nextCursor: null });
    if (request.method === "GET") return success(account);
    const change = (await request.json()) as Partial<typeof account>;
    sent.push(change);
    return success({ ...account, ...change });
  };
  await using cli = await createCommandLine({ api });
  return { ...(await cli.run("accounts", ...args)), sent };
}

test("lists accounts and their holidays", async () => {
  expect((await run("list")).out).toContain("Ada   active  manual     premium  Europe/Berlin  2         a1");
  const { out } = await run("holidays", "a1");
  expect(out).toContain("2030-12-24  2030-12-26  Christmas");
});

test("opens the working hours around the clock", async () => {
  const { sent } = await run("update", "a1", "--connector", "simulated", "--always-open");
  const day = [{ from: "00:00", to: "24:00" }];
  const [monday, tuesday, wednesday, thursday, friday, saturday, sunday] = Array.from({ length: 7 }, () => day);
  const workingHours = { monday, tuesday, wednesday, thursday, friday, saturday, sunday };
  expect(sent).toEqual([{ connector: "simulated", workingHours, sessions: null, userId: "u-ada" }]);
});

test("adds a holiday to the others, and replaces the one with the same days", async () => {
  const [first, second] = account.holidays;
  const added = await run("add-holiday", "a1", "2031-01-01", "--name", "New Year");
  const newYear = { from: "2031-01-01", to: "2031-01-01", name: "New Year" };
  expect(added.sent).toEqual([{ holidays: [first, second, newYear], userId: "u-ada" }]);
  expect(added.out).toContain("2031-01-01  2031-01-01  New Year");
  const renamed = await run("add-holiday", "a1", "2030-12-24", "2030-12-26", "--name", "Closed");
  expect(renamed.sent).toMatchObject([{ holidays: [first, { ...second, name: "Closed" }] }]);
});

test("removes a holiday by its first day", async () => {
  expect((await run("remove-holiday", "a1", "2030-05-01")).sent).toMatchObject([{ holidays: [account.holidays[1]] }]);
  const { exitCode, err, sent } = await run("remove-holiday", "a1", "2030-12-25");
  expect([exitCode, sent]).toEqual([1, []]);
  expect(err).toContain("No holiday of Ada starts on 2030-12-25.");
});
