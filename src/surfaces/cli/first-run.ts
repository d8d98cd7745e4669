/** Output of the first start, the only time that the admin's API key is shown. */
export function firstRunNotice({ email, key }: { email: string; key: string }): string {
  return [
    `First start: created the admin ${email} with this API key. It is shown only once, so keep it safe:`,
    "",
    `  ${key}`,
    "",
  ].join("\n");
}

/** Shows how to try a key. */
export function tryKey(key: string, url: string): string {
  return ["Try it:", "", `  curl -H 'x-api-key: ${key}' ${url}/api/v2/health`, ""].join("\n");
}

/** Shows a sign-in link for the dashboard, which requires no key. */
export function signInNotice(url: string): string {
  return ["Open this link to sign in. It works once, within an hour:", "", `  ${url}`, ""].join("\n");
}
