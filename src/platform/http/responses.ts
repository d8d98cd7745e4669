/** The body of success on most routes (specification, "What the service does"). */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

/** A strong ETag (RFC 9110, section 8.8.3) of a thing that counts its changes. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** The versions that If-Match names, strong tags only; null when any will do (absent or `*`). */
export function versionsIn(ifMatch: string | undefined): number[] | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  return ifMatch.split(",").flatMap((tag) => {
    const [, version] = /^"(\d+)"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/** True when If-None-Match names the version that there is, so that 304 is the answer. */
export function isUnchanged(ifNoneMatch: string | undefined, version: number): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etagOf(version));
}
