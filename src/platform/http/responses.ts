/** Success body of most routes (specification, "What the service does"). */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

/** Strong ETag (RFC 9110, section 8.8.3) of a resource with a version number. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** The versions in If-Match, strong tags only; null if every version matches (absent or `*`). */
export function versionsIn(ifMatch: string | null): number[] | null {
  if (ifMatch === null || ifMatch.trim() === "*") return null;
  return ifMatch.split(",").flatMap((tag) => {
    const [, version] = /^"(\d+)"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/** True if If-None-Match contains the current version, so that the response is 304. */
export function isUnchanged(ifNoneMatch: string | null, version: number): boolean {
  if (ifNoneMatch === null) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etagOf(version));
}
