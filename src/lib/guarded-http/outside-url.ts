import { allowedPrivate, isAddress, isPublicAddress } from "./http-address.ts";

/** Name of a URL setting for messages, and the option that lists private hosts. */
export type UrlNames = { url: string; example: string; privateHostsOption: string };

/**
 * Returns why requests to a URL set by a user are not allowed, as a message, or null. Host names are not resolved here:
 * their addresses are checked on each request.
 */
export function problemOfUrl(text: string, privateHosts: readonly string[], names: UrlNames): string | null {
  const { url: field, example, privateHostsOption: option } = names;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return `${field} must be an https URL, such as ${example}.`;
  if (url.username || url.password)
    return `${field} must not contain credentials; the signature identifies the sender.`;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const namesAddress = isAddress(host);
  if (allowedPrivate(privateHosts).includes(host, namesAddress ? host : "0.0.0.0")) return null;
  if (url.protocol === "http:")
    return `${field} must use https. To allow plain http to ${host}, list it in ${option} and restart the server.`;
  if (namesAddress && !isPublicAddress(host))
    return `${field} must have a public address. To allow ${host}, list it in ${option} and restart the server.`;
  return null;
}
