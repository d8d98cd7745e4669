import { expect, test } from "bun:test";
import { pino } from "pino";
import { checkClock, requireUsable, startErrorOf } from "../../src/app/database.ts";
import type { StartError } from "../../src/platform/base/start-error.ts";

const shown = "postgres://ada@db/outreachd";
const usable = {
  ...{ versionNumber: 150_004, version: "15.4", isReadOnly: false, mayCreate: true, hasTables: true },
  ...{ encoding: "UTF8", schema: "public" },
  ...{ endsIdleTransactions: true, refusesSettings: false },
};

function refusal(run: () => void): { message: string; hint: string | undefined } {
  try {
    run();
  } catch (error) {
    const { message, hint } = error as StartError;
    return { message, hint };
  }
  throw new Error("Expected a refusal");
}

test("PostgreSQL 15 and later can be used, and older servers are refused by their version", () => {
  requireUsable(usable, shown);
  requireUsable({ ...usable, versionNumber: 180_000, version: "18.0" }, shown);
  expect(refusal(() => requireUsable({ ...usable, versionNumber: 140_012, version: "14.12" }, shown))).toEqual({
    message: `The database ${shown} runs PostgreSQL 14.12, which is too old.`,
    hint: "Upgrade it to PostgreSQL 15 or later.",
  });
});

test("a replica is refused", () => {
  expect(refusal(() => requireUsable({ ...usable, isReadOnly: true }, shown)).hint).toContain("primary server");
});

test("a clock is accepted in silence, with a warning, or not at all", () => {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
  checkClock(9_999, log);
  expect(lines).toEqual([]);
  checkClock(-300_000, log);
  expect(lines).toEqual([expect.stringContaining("The clock of this machine is 5 minutes behind the clock")]);
  expect(refusal(() => checkClock(900_000, log)).hint).toContain("NTP");
});

test.each([
  ["28P01", "refused the user or the password"],
  ["53300", "accepts no more connections"],
  ["53100", "disk of the database"],
  ["ENOTFOUND", "Cannot connect"],
  ["CONNECT_TIMEOUT", "Cannot connect"],
  ["CONNECTION_CLOSED", "closed the connection"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "not from an authority that this machine trusts"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "not from an authority that this machine trusts"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "not from an authority that this machine trusts"],
  ["CERT_HAS_EXPIRED", "has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "is for another host name"],
])("the error %s is explained", (code, words) => {
  const wrapped = new Error("Failed query", { cause: Object.assign(new Error("details"), { code }) });
  const error = startErrorOf(wrapped, shown) as StartError;
  expect(error.message).toContain(words);
  expect(error.hint).toBeString();
});

test("an error of PostgreSQL that is not listed is passed on with its code", () => {
  const cause = Object.assign(new Error("out of shared memory"), {
    ...{ severity: "ERROR", code: "53200", hint: "You might need to increase max_locks_per_transaction." },
  });
  const { message, hint } = startErrorOf(new Error("Failed query", { cause }), shown) as StartError;
  expect(message).toBe(`Cannot use the database ${shown}: out of shared memory (PostgreSQL error 53200).`);
  expect(hint).toStartWith("You might need to increase max_locks_per_transaction. Correct this");
});

test("an error of this program is not blamed on the database", () => {
  const error = new TypeError("undefined is not a function");
  expect(startErrorOf(error, shown)).toBe(error);
});
