import { domainToUnicode } from "node:url";
import { memoize } from "../base/text.ts";
import { suffixLibrary } from "./lazy-packages.ts";

/** Longest name that the DNS accepts, as text (RFC 1035, section 2.3.4). */
const maxLength = 253;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const isAscii = /^[ -~]*$/;
/** A URL with one of these would have a shorter host. */
const endsHost = /[/?#\\:@%]/;

/**
 * The form in which domains are compared and stored as keys: lower case, Punycode for international names, no dot at
 * the end. "Bücher.example" is "xn--bcher-kva.example". Text that cannot be a domain is returned in lower case.
 */
export function canonicalDomain(domain: string): string {
  const name = domain.toLowerCase();
  const ascii = isAscii.test(name) || endsHost.test(name) ? name : (URL.parse(`http://${name}`)?.hostname ?? name);
  return ascii.endsWith(".") ? ascii.replace(/\.+$/, "") : ascii;
}

/** A canonical domain as people read it: "bücher.example". */
export function displayDomain(domain: string): string {
  return domain.includes("xn--") ? domainToUnicode(domain) || domain : domain;
}

/** Whether a canonical domain is a host name that the DNS accepts, and not an IP address. */
export function isDomainName(domain: string): boolean {
  const labels = domain.split(".");
  return domain.length <= maxLength && labels.every((each) => label.test(each)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

/**
 * The canonical domain of a website, given its URL or its host, without `www.`. Null for text that is not a website,
 * such as an IP address or a name without a dot.
 */
export function domainOfWebsite(website: string): string | null {
  const text = website.trim();
  if (plainHost.test(text) && !text.includes("xn--")) return text.startsWith("www.") ? text.slice(4) : text;
  if (text === "" || /\s/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  const host = canonicalDomain(url?.hostname ?? "").replace(/^www\./, "");
  return host.includes(".") && !/^[\d.:[\]]+$/.test(host) ? host : null;
}

/** A host as a URL would return it. With only dots and digits it would be an IP address; Punycode may be invalid. */
const plainHost = /^(?!www\.[^.]*$)[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$/;

/** Whether a host is a domain or a subdomain of it. Both are canonical. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** Whether anyone can register names under a canonical domain, as under com and co.uk: a suffix that registries run. */
export function isRegistrySuffix(domain: string): boolean {
  return suffixLibrary().getDomain(domain) === null;
}

/**
 * The domain that the owner of a host registered: example.co.uk for www.example.co.uk. Names that hosting services hand
 * out count as registered: acme.github.io. A suffix is returned as it is. By the Public Suffix List (publicsuffix.org).
 */
export const registeredDomain = memoize((host: string): string => {
  const suffix = host.split(".").slice(-2).join(".");
  if (unlistedServices.has(suffix)) return host.split(".").slice(-3).join(".");
  return suffixLibrary().getDomain(host, { allowPrivateDomains: true }) ?? host;
});

/** Whether the owner of a domain runs the host: the domain itself, or a subdomain that no one else can register. */
export function isSiteOf(host: string, domain: string): boolean {
  return host === domain || (isWithin(host, domain) && registeredDomain(host) === registeredDomain(domain));
}

/** Services that hand out names, but whose owners have not put them on the Public Suffix List. */
const unlistedServices: ReadonlySet<string> = new Set([
  ...["business.site", "onmicrosoft.com", "sharepoint.com", "squarespace.com", "substack.com", "tumblr.com"],
  ...["weebly.com", "wordpress.com"],
]);
