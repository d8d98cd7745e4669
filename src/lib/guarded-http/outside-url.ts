import { allowedPrivate, isAddress, isPublicAddress } from "./http-address.ts";

/** How an address of a user's is called in a sentence, and the option that names hosts of the operator's own. */
export type UrlNames = { url: string; example: string; privateHostsOption: string };

/**
 * A sentence on why nobody may post to an address that a user has set, or null. A name is looked at only as a name: what
 * it leads to is known when it is called, and checked then.
 */
export function problemOfUrl(text: string, privateHosts: readonly string[], names: UrlNames): string | null {
  const { url: field, example, privateHostsOption: option } = names;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return `${field} must be an https URL, such as ${example}.`;
  if (url.username || url.password) return `${field} must hold no credentials; the signature proves who posts.`;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const namesAddress = isAddress(host);
  if (allowedPrivate(privateHosts).includes(host, namesAddress ? host : "0.0.0.0")) return null;
  if (url.protocol === "http:")
    return `${field} must be https; plain http is for hosts that the operator names in ${option}.`;
  if (namesAddress && !isPublicAddress(host))
    return `${field} must lead to a public address; others are for hosts that the operator names in ${option}.`;
  return null;
}
