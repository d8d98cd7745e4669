import { describe, expect, test } from "bun:test";
import { allowedPrivate, isPublicAddress } from "../../src/lib/guarded-http/http-address.ts";

describe("addresses", () => {
  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "172.32.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
  ])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.168.1.1", "192.0.0.8", "198.18.0.1", "203.0.113.5", "224.0.0.1", "239.1.1.1",
    "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0:1", "::7f00:1", "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1", "64:ff9b::", "64:ff9b:1::808:808", "2002:7f00:1::", "2002:808:808::", "2001::1", "2001:db8::1",
    "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "not an address", "",
  ])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false)); // prettier-ignore

  test("an allowance is by host, by address or by network", () => {
    const allowed = allowedPrivate(["Reacher.internal", "10.1.0.0/16", "fd00::/8", "127.0.0.1"]);
    expect(allowed.includes("reacher.internal", "192.168.0.9")).toBe(true);
    expect(allowed.includes("other.internal", "192.168.0.9")).toBe(false);
    expect(allowed.includes("other.internal", "10.1.2.3")).toBe(true);
    expect(allowed.includes("other.internal", "10.2.2.3")).toBe(false);
    expect(allowed.includes("x", "fd00::5")).toBe(true);
    expect(allowed.includes("127.0.0.1", "127.0.0.1")).toBe(true);
    expect(allowed.includes("127.0.0.2", "127.0.0.2")).toBe(false);
  });

  test.each(["10.0.0.0/33", "10.0.0/8", "fd00::/129", "host/8"])("%s is no network", (text) => {
    expect(() => allowedPrivate([text])).toThrow(`got "${text}"`);
  });
});
