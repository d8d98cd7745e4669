/**
 * The one spelling of a profile URL by which duplicates are found and people are not contacted twice: https, host in
 * lower case without `www.` or a country subdomain, no query, fragment, port or closing slash, no locale at the end,
 * and the path in lower case with its escapes resolved. A URL without a scheme is read as https.
 * Null when it is not an http or https URL with a host name and a path.
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
 * What else than a person a page is of, by its canonical URL, such as "a company"; null for a profile and for what the
 * path does not say.
 */
export function pageSubjectOf(canonicalUrl: string): string | null {
  const [, kind = "", name] = /^https:\/\/[^/]+\/([^/]+)\/([^/]+)/.exec(canonicalUrl) ?? [];
  return name === undefined ? null : (pageSubjects[kind] ?? null);
}

/** By the first part of the path, as the network has it. */
const pageSubjects: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...{ company: "a company", companies: "a company", showcase: "a company", organization: "an organization" },
  ...{ school: "a school", edu: "a school", groups: "a group", group: "a group", events: "an event", jobs: "a job" },
  ...{ posts: "a post", feed: "a post", pulse: "an article", newsletters: "a newsletter", products: "a product" },
});

/** Nearly every profile, and nothing that parsing would change but case; a punycode label may be broken. */
const plain = /^https?:\/\/(?!\S*xn--)((?:[a-z0-9-]+\.)+[a-z]{2,})\/([a-z0-9_-]+\/[a-z0-9_-]+)\/?$/i;

/** `www.`, `m.` or a country before a whole domain; in "bp.co.uk" the two letters are the domain itself. */
const subdomain = /^(www|m|[a-z]{2})\.(?=[^.]+\.[^.]+)(?!(co|com|org|net|ac|gov|edu)\.[a-z]{2}$)/;

function parseUrl(text: string): URL | null {
  if (/\s/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

/** The path with percent escapes resolved, or as it stands when they are broken. */
function unescaped(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path).normalize("NFC");
  } catch {
    return path;
  }
}
