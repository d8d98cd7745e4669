/** What the first start has to say: the only time that the admin's key is readable. */
export function firstRunNotice({ email, key }: { email: string; key: string }): string {
  return [
    `First start: made the admin ${email} with this API key. It is shown once, so keep it safe:`,
    "",
    `  ${key}`,
    "",
  ].join("\n");
}

/** How to see that a key works. */
export function tryKey(key: string, url: string): string {
  return ["Try it:", "", `  curl -H 'x-api-key: ${key}' ${url}/api/v2/health`, ""].join("\n");
}

/** The way into the dashboard for somebody who has no key at hand. */
export function signInNotice(url: string): string {
  return ["Open this link to begin. It signs you in once, within the hour:", "", `  ${url}`, ""].join("\n");
}
