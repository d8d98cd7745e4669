import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { boundedExpiry, mayGrant, spendingPermissions, type KeyLimits } from "../../src/platform/auth/may-grant.ts";
import { includesAddress } from "../../src/lib/ip-networks/ip-networks.ts";
import type { Grant } from "../../src/platform/auth/key-model.ts";

const grants: Grant[] = ["leads:read", "leads:write", "leads:enrich", "prospecting:search", "keys:manage", "*"];
const limits = (id: string): fc.Arbitrary<KeyLimits> =>
  fc.record({
    id: fc.constant(id),
    permissions: fc.subarray(grants),
    requiresApproval: fc.boolean(),
    expiresAt: fc.option(fc.integer({ min: 0, max: 5 })),
    hasBudget: fc.boolean(),
    rateLimits: fc.constantFrom(null, { minute: 5 }, { minute: 2, day: 9 }),
    allowedNetworks: fc.constantFrom(null, ["10.0.0.0/8"], ["10.1.0.0/16"], ["10.1.2.3", "192.0.2.0/24"]),
  });

const holds = ({ permissions }: KeyLimits, one: Grant) => permissions.includes(one) || permissions.includes("*");
const mayComeFrom = ({ allowedNetworks }: KeyLimits, address: string) =>
  allowedNetworks === null || includesAddress(allowedNetworks, address);
const lasts = ({ expiresAt }: KeyLimits) => expiresAt ?? Infinity;

test("whoever gets at a key gets at nothing that they do not hold", () => {
  fc.assert(
    fc.property(limits("maker"), limits("key"), (maker, key) => {
      if (mayGrant(maker, key) !== null) return;
      for (const grant of grants) if (holds(key, grant)) expect(holds(maker, grant)).toBe(true);
      if (maker.requiresApproval) expect(key.requiresApproval).toBe(true);
      expect(lasts(key)).toBeLessThanOrEqual(lasts(maker));
      if (maker.allowedNetworks !== null) {
        for (const address of ["10.9.9.9", "10.1.9.9", "10.1.2.3", "192.0.2.7", "203.0.113.1"])
          if (mayComeFrom(key, address)) expect(mayComeFrom(maker, address)).toBe(true);
      }
      if (maker.rateLimits !== null) expect(key.id).toBe(maker.id);
      if (maker.hasBudget) for (const spending of spendingPermissions) expect(holds(key, spending)).toBe(false);
    }),
    { seed: 20_260_112, numRuns: 3000 },
  );
});

test("a key may be handed on through any number of keys, and never becomes more", () => {
  fc.assert(
    fc.property(limits("0"), fc.array(limits("x"), { maxLength: 6 }), (first, others) => {
      const reached = [first];
      for (const [n, other] of others.entries()) {
        const key = { ...other, id: `${n + 1}` };
        if (reached.some((maker) => mayGrant(maker, key) === null)) reached.push(key);
      }
      for (const key of reached.slice(1)) expect(mayGrant({ ...first, hasBudget: false }, key)).toBeNull();
      // What is spent in all is spent by the first one.
      if (first.hasBudget)
        expect(reached.slice(1).filter((key) => spendingPermissions.some((one) => holds(key, one)))).toEqual([]);
    }),
    { seed: 20_260_113, numRuns: 3000 },
  );
});

test("every key may change and regenerate itself as it is", () => {
  fc.assert(
    fc.property(limits("same"), (key) => expect(mayGrant(key, key)).toBeNull()),
    { seed: 1 },
  );
});

test("what is in the way is named", () => {
  const maker: KeyLimits = {
    id: "a",
    permissions: ["leads:enrich"],
    requiresApproval: true,
    expiresAt: 5,
    hasBudget: true,
    rateLimits: { minute: 5 },
    allowedNetworks: ["10.0.0.0/8"],
  };
  const key: KeyLimits = { ...maker, id: "b", hasBudget: false };
  expect(mayGrant(maker, { ...key, permissions: ["leads:enrich", "leads:read"] })).toEqual({
    kind: "permissions",
    lacking: ["leads:read"],
  });
  expect(mayGrant(maker, { ...key, requiresApproval: false })).toEqual({ kind: "approval" });
  expect(mayGrant(maker, { ...key, expiresAt: null })).toEqual({ kind: "expiry", expiresAt: 5 });
  expect(mayGrant(maker, key)).toEqual({ kind: "budget", spending: ["leads:enrich"] });
});

test.each([
  [null, null, null],
  [null, 7, 7],
  [5, null, 5],
  [5, 3, 3],
  [5, 7, 5],
])("a maker that ends at %p makes of a key that wants %p one that ends at %p", (expiresAt, wanted, expected) => {
  expect(boundedExpiry({ expiresAt }, wanted)).toBe(expected);
});
