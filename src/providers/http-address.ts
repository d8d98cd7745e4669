import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4 } from "node:net";

/** Answers the IP addresses of a host name; rejects when it has none. */
export type Resolve = (host: string) => Promise<string[]>;

/** By the system's resolver, so that /etc/hosts counts. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** Hosts (names or addresses) and networks (CIDR) that may be private. */
export type AllowedPrivate = { includes(host: string, address: string): boolean };

/** Throws a RangeError for a text that is neither a host nor a network, such as "10.0.0.0/99". */
export function allowedPrivate(list: readonly string[]): AllowedPrivate {
  const hosts = new Set(list.filter((entry) => !entry.includes("/")).map((entry) => entry.toLowerCase()));
  const networks = new BlockList();
  for (const entry of list.filter((each) => each.includes("/"))) addNetwork(networks, entry);
  return { includes: (host, address) => hosts.has(host.toLowerCase()) || networks.check(address, familyOf(address)) };
}

function addNetwork(networks: BlockList, cidr: string): void {
  const [, address = "", prefix = ""] = /^(.+)\/(\d{1,3})$/.exec(cidr) ?? [];
  if (isIP(address) === 0 || Number(prefix) > (isIPv4(address) ? 32 : 128))
    throw new RangeError(`Expected a host or a network such as 10.0.0.0/8, got "${cidr}".`);
  networks.addSubnet(address, Number(prefix), familyOf(address));
}

/**
 * True for an address of the public internet: not loopback, private, link-local, shared (CGNAT), multicast, reserved or
 * made for documentation (IANA special-purpose registries, RFC 6890), and no IPv6 form that leads to such an IPv4
 * address. 6to4 and Teredo are refused as a whole: they are retired, and what they lead to can't be told for sure.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  if (isIPv4(address)) return !specialIpv4.check(address);
  const translated = embeddedIpv4(address);
  if (translated !== null) return isPublicAddress(translated);
  return globalUnicast.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

const specialIpv4 = networksOf(
  "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
  "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
  "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
); // prettier-ignore
const globalUnicast = networksOf("2000::/3");
const specialIpv6 = networksOf("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

function networksOf(...list: string[]): BlockList {
  const networks = new BlockList();
  for (const cidr of list) addNetwork(networks, cidr);
  return networks;
}

/** The IPv4 address in an IPv4-mapped (RFC 4291) or NAT64 (RFC 6052, 64:ff9b::/96) one; null for any other. */
function embeddedIpv4(address: string): string | null {
  // The URL parser writes every IPv6 address in its one canonical form, so that two groups stand at the end.
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? "";
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined) return dotted(Number.parseInt(high, 16), Number.parseInt(low, 16));
  const [, only] = /^64:ff9b::([0-9a-f]{0,4})$/.exec(canonical) ?? [];
  return only === undefined ? null : dotted(0, Number.parseInt(only || "0", 16));
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}
