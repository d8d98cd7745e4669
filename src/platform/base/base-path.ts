/**
 * The path below which a reverse proxy serves this server, such as `/outreach` for the public URL
 * https://example.com/outreach; "" if it has a host of its own.
 */
export function basePathOf(publicUrl: string | null): string {
  return publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
}

/** First parts of the paths of this server. A base path must not start with one, or its requests would be ambiguous. */
export const ownPaths = [
  "api",
  "app",
  "docs",
  "healthz",
  "llms.txt",
  "mcp",
  "metrics",
  "openapi.json",
  "readyz",
  "swagger",
];
