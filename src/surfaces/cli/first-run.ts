/** Output of the first start, the only time that the admin's API key is shown. */
export function firstRunNotice({ email, key }: { email: string; key: string }): string {
  return [
    `First start: created the admin ${email} with this API key. It is shown only once, so keep it safe:`,
    "",
    `  ${key}`,
    "",
  ].join("\n");
}

/** For a first run without a server, whose sign-in link leads nowhere. Later starts show no link. */
export function laterSignInNotice(email: string): string {
  return `Once the server runs, get a sign-in link for the dashboard with: outreachd user link ${email}\n`;
}

/** Shows how to try a key. */
export function tryKey(key: string, url: string): string {
  return ["Try it:", "", `  curl -H 'x-api-key: ${key}' ${url}/api/v2/health`, ""].join("\n");
}

/** Shows a sign-in link for the dashboard, which requires no key. */
export function signInNotice(url: string): string {
  return ["Open this link to sign in. It works once, within an hour:", "", `  ${url}`, ""].join("\n");
}
