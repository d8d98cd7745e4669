import { expect, test } from "bun:test";
import { coversNetworks, includesAddress } from "../../src/lib/ip-networks/ip-networks.ts";
import { isWithinLimits, networksOf } from "../../src/platform/auth/key-restrictions.ts";
import { ApiError } from "../../src/platform/base/errors.ts";

test.each<[string, string, boolean]>([
  ["203.0.113.7", "203.0.113.7", true],
  ["203.0.113.7", "203.0.113.8", false],
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["0.0.0.0/0", "198.51.100.1", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["2001:db8::/32", "2001:DB8:1::5", true],
  ["2001:db8::/32", "2001:db9::1", false],
  ["::1", "::1", true],
  ["10.0.0.0/8", "local", false],
  ["10.0.0.0/8", "", false],
])("%s and %s: %p", (network, address, isIncluded) => {
  expect(includesAddress(networksOf([network]), address)).toBe(isIncluded);
});

test.each(["10.0.0.0/33", "10.0.0", "example.com", "::1/129", "10.0.0.0/8/8", "fe80::1%eth0", "/8"])(
  "%s is refused by its place in the list",
  (entry) => {
    const error = thrownBy(() => networksOf(["10.0.0.1", entry]));
    expect(error).toBeInstanceOf(ApiError);
    expect(JSON.stringify((error as ApiError).details)).toContain("allowedNetworks.1");
  },
);

test("networks are stored once, in lower case", () => {
  expect(networksOf([" 2001:DB8::/32 ", "2001:db8::/32", "10.0.0.1"])).toEqual(["2001:db8::/32", "10.0.0.1"]);
});

test("a network covers the smaller ones in it", () => {
  expect(coversNetworks(["10.0.0.0/8"], ["10.1.0.0/16", "10.2.3.4"])).toBe(true);
  expect(coversNetworks(["10.1.0.0/16"], ["10.0.0.0/8"])).toBe(false);
  expect(coversNetworks(["10.0.0.0/8"], ["10.1.0.0/16", "192.0.2.1"])).toBe(false);
  expect(coversNetworks(["0.0.0.0/0"], ["::/0"])).toBe(false);
});

test("limits are within others if no window allows more", () => {
  expect(isWithinLimits({ minute: 5, hour: 9 }, { minute: 5 })).toBe(true);
  expect(isWithinLimits({ minute: 6 }, { minute: 5 })).toBe(false);
  expect(isWithinLimits({ hour: 1 }, { minute: 5 })).toBe(false);
  expect(isWithinLimits(null, { day: 1 })).toBe(false);
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}
