/** The content type without its parameters, in lower case; "" when there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** The charset that the content type names, as it is written there; null when it names none. */
export function charset(request: Request): string | null {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(request.headers.get("content-type") ?? "") ?? [];
  return (quoted ?? plain)?.trim() || null;
}
