import type { BlockList } from "node:net";

export type Network = { address: string; prefix: number };

/** An address or a network such as 10.0.0.0/8; null for any other text. */
export function parseNetwork(entry: string): Network | null {
  const [, address = "", digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry.trim()) ?? [];
  const family = familyOf(address);
  if (family === null || address.includes("%")) return null;
  const longest = family === "ipv4" ? 32 : 128;
  const prefix = digits === undefined ? longest : Number(digits);
  return prefix > longest ? null : { address, prefix };
}

/** Whether an address is in one of the networks. */
export function includesAddress(networks: readonly string[], address: string): boolean {
  const plain = plainAddress(address);
  const family = familyOf(plain);
  return family !== null && listOf(networks).check(plain, family);
}

/** Whether every address of `inner` is in `outer`. */
export function coversNetworks(outer: readonly string[], inner: readonly string[]): boolean {
  return inner.every((entry) =>
    outer.some((other) => {
      const [small, large] = [parseNetwork(entry), parseNetwork(other)];
      return (
        small !== null && large !== null && small.prefix >= large.prefix && includesAddress([other], small.address)
      );
    }),
  );
}

/** Building a list takes longer than checking it, so lists are remembered with the arrays that they were built from. */
const lists = new WeakMap<readonly string[], BlockList>();

function listOf(networks: readonly string[]): BlockList {
  const known = lists.get(networks);
  if (known !== undefined) return known;
  const list = new (net().BlockList)();
  for (const entry of networks) {
    const network = parseNetwork(entry);
    if (network !== null) list.addSubnet(network.address, network.prefix, familyOf(network.address)!);
  }
  lists.set(networks, list);
  return list;
}

/** A socket for both families reports IPv4 peers in their mapped form (RFC 4291, section 2.5.5.2). */
function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const family = net().isIP(address);
  return family === 4 ? "ipv4" : family === 6 ? "ipv6" : null;
}

/** Loaded with the first network: it loads all of Node's streams. */
const net = () => process.getBuiltinModule("node:net");
