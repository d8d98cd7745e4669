/**
 * The form in which profile URLs are compared and stored as keys: https, canonical host without `www.` or a country
 * subdomain, and the path in lower case with its escapes resolved. Query, fragment, port, trailing slash, and a locale
 * at the end are dropped. A URL without a scheme is read as https. Null for anything but an http or https URL with a
 * host name and a path.
 *
 * @example canonicalProfileUrl("http://UK.Network.example/in/Ada-L/en/?trk=1") === "https://network.example/in/ada-l"
 */
export function canonicalProfileUrl(text: string): string | null {
  const [, plainHost, plainPath] = plain.exec(text) ?? [];
  if (plainHost !== undefined && plainPath !== undefined)
    return `https://${plainHost.toLowerCase().replace(subdomain, "")}/${plainPath.toLowerCase()}`;
  const url = parseUrl(text.trim());
  if (url === null) return null;
  const host = url.hostname.toLowerCase().replace(/\.$/, "").replace(subdomain, "");
  const segments = unescaped(url.pathname)
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");
  if (segments.length > 2 && /^[a-z]{2}([-_][a-z]{2})?$/.test(segments.at(-1) ?? "")) segments.pop();
  if (!host.includes(".") || segments.length === 0) return null;
  return `https://${host}/${segments.join("/")}`;
}

/**
 * What a page is about if not a person, by its canonical URL, such as "a company". Null for a profile, and if the path
 * does not say.
 */
export function pageSubjectOf(canonicalUrl: string): string | null {
  const [, kind = "", name] = /^https:\/\/[^/]+\/([^/]+)\/([^/]+)/.exec(canonicalUrl) ?? [];
  return name === undefined ? null : (pageSubjects[kind] ?? null);
}

/** By the first segment of the path, as the network uses it. */
const pageSubjects: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...{ company: "a company", companies: "a company", showcase: "a company", organization: "an organization" },
  ...{ school: "a school", edu: "a school", groups: "a group", group: "a group", events: "an event", jobs: "a job" },
  ...{ posts: "a post", feed: "a post", pulse: "an article", newsletters: "a newsletter", products: "a product" },
});

/** Most profiles: parsing would change nothing but case. A Punycode label may be invalid. */
const plain = /^https?:\/\/(?!\S*xn--)((?:[a-z0-9-]+\.)+[a-z]{2,})\/([a-z0-9_-]+\/[a-z0-9_-]+)\/?$/i;

/** `www.`, `m.`, or a country in front of a complete domain. In "bp.co.uk" the two letters are the domain. */
const subdomain = /^((www|m|[a-z]{2})\.(?=[^.]+\.[^.]+)(?!(co|com|org|net|ac|gov|edu)\.[a-z]{2}$))+/;

function parseUrl(text: string): URL | null {
  if (/\s/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

/** The path with percent escapes resolved, but for characters that would end it; unchanged if an escape is invalid. */
function unescaped(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path).normalize("NFC").replace(needsEscape, encodeURIComponent);
  } catch {
    return path;
  }
}

// oxlint-disable-next-line no-control-regex -- a URL drops them
const needsEscape = /[%?#\\\s\u0000-\u001f\u007f]/g;
