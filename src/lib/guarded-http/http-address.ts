import type { BlockList } from "node:net";

/** Returns the IP addresses of a host name; rejects if it has none. */
export type Resolve = (host: string) => Promise<string[]>;

/** Uses the system's resolver, so that /etc/hosts applies. */
export const systemResolve: Resolve = async (host) => {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
};

/** True for an IPv4 or IPv6 address, false for a name. */
export function isAddress(host: string): boolean {
  return net().isIP(host) > 0;
}

/** Hosts (names or addresses) and networks (CIDR) that may be private. */
export type AllowedPrivate = { includes(host: string, address: string): boolean };

/** Throws a RangeError for text that is neither a host nor a network, such as "10.0.0.0/99". */
export function allowedPrivate(list: readonly string[]): AllowedPrivate {
  const hosts = new Set(list.filter((entry) => !entry.includes("/")).map((entry) => entry.toLowerCase()));
  const subnets = list.filter((entry) => entry.includes("/"));
  const networks = subnets.length === 0 ? null : networksOf(...subnets);
  return {
    includes: (host, address) =>
      hosts.has(host.toLowerCase()) || (networks?.check(address, familyOf(address)) ?? false),
  };
}

function addNetwork(networks: BlockList, cidr: string): void {
  const [, address = "", prefix = ""] = /^(.+)\/(\d{1,3})$/.exec(cidr) ?? [];
  if (!isAddress(address) || Number(prefix) > (net().isIPv4(address) ? 32 : 128))
    throw new RangeError(`Expected a host or a network such as 10.0.0.0/8, got "${cidr}".`);
  networks.addSubnet(address, Number(prefix), familyOf(address));
}

/**
 * True for an address of the public internet: not loopback, private, link-local, shared (CGNAT), multicast, reserved,
 * or for documentation (IANA special-purpose registries, RFC 6890), nor an IPv6 form of such an IPv4 address. 6to4 and
 * Teredo are rejected altogether: they are retired, and their target cannot be determined reliably.
 */
export function isPublicAddress(address: string): boolean {
  if (!isAddress(address) || address.includes("%")) return false;
  const { specialIpv4, specialIpv6, globalUnicast } = (registries ??= createRegistries());
  if (net().isIPv4(address)) return !specialIpv4.check(address);
  const translated = embeddedIpv4(address);
  if (translated !== null) return isPublicAddress(translated);
  return globalUnicast.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

type Registries = { specialIpv4: BlockList; globalUnicast: BlockList; specialIpv6: BlockList };

let registries: Registries | null = null;

function createRegistries(): Registries {
  return {
    specialIpv4: networksOf(
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
      "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
      "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    ), // prettier-ignore
    globalUnicast: networksOf("2000::/3"),
    specialIpv6: networksOf("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
  };
}

function networksOf(...list: string[]): BlockList {
  const networks = new (net().BlockList)();
  for (const cidr of list) addNetwork(networks, cidr);
  return networks;
}

/**
 * Returns the IPv4 address in an IPv4-mapped (RFC 4291) or NAT64 (RFC 6052, 64:ff9b::/96) address; null for any other.
 */
function embeddedIpv4(address: string): string | null {
  // The URL parser converts every IPv6 address to its canonical form, so the last two groups contain the IPv4 address.
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
  return net().isIPv4(address) ? "ipv4" : "ipv6";
}

/** Loaded with the first address: it loads all of Node's streams, and a server may never send a request. */
const net = () => process.getBuiltinModule("node:net");
