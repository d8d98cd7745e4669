import type { LeadIdentity } from "./model.ts";

/** The hashes by which a lead is found. `strong` ones identify a person; several people may share a name and company. */
export type KeysOfLead = { strong: number[]; name: number | null };

// A lead is searched for and then stored, which needs the same keys twice.
let latest: { owner: number; identity: LeadIdentity; keys: KeysOfLead } | null = null;

/** The keys of a lead of this owner; none for absent identifiers. */
export function leadKeysOf(owner: number, identity: LeadIdentity): KeysOfLead {
  if (latest?.identity !== identity || latest.owner !== owner)
    latest = { owner, identity, keys: keysFor(owner, identity) };
  return latest.keys;
}

function keysFor(owner: number, { email, network, name }: LeadIdentity): KeysOfLead {
  const strong: number[] = [];
  if (email !== null) strong.push(emailKey(owner, email));
  if (network !== null) strong.push(profileKeyHash(owner, network));
  return { strong, name: name === null ? null : hashOf(`${owner}\nn\n${name}`) };
}

/** All keys of a lead: those of its identity, and the phone number's. */
export function allKeysOf(owner: number, identity: LeadIdentity, phone: string | null): number[] {
  const { strong, name } = leadKeysOf(owner, identity);
  const ofPhone = phone === null ? null : phoneKey(owner, phone);
  return [...strong, ...(name === null ? [] : [name]), ...(ofPhone === null ? [] : [ofPhone])];
}

/** The hash of a canonical email address. */
export function emailKey(owner: number, email: string): number {
  return hashOf(`${owner}\ne\n${email}`);
}

/** The hash of a canonical profile URL. */
export function profileKeyHash(owner: number, profile: string): number {
  return hashOf(`${owner}\np\n${profile}`);
}

const extension = /[x#;]/i;
const digitsOfPhone = 7;

/**
 * The key of a phone number in any format, including E.164: the last seven digits, which all formats have in common.
 * Plain arithmetic, so that a migration can do the same. Null for a number without digits.
 */
export function phoneKey(owner: number, phone: string): number | null {
  const end = phone.search(extension);
  const digits = (end === -1 ? phone : phone.slice(0, end)).replaceAll(/\D/g, "").slice(-digitsOfPhone);
  return digits === "" ? null : 2 ** 52 + owner * 10 ** digitsOfPhone + Number(digits);
}

/** The hash of a canonical domain, for leads with an address in it. */
export function domainKey(owner: number, domain: string): number {
  return hashOf(`${owner}\nd\n${domain}`);
}

/** The hash of a `companyKey`. */
export function companyKeyHash(owner: number, company: string): number {
  return hashOf(`${owner}\nc\n${company}`);
}

/** 53 bits, which fit a number exactly. Stored, so the hash function must never change. */
function hashOf(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n);
}
