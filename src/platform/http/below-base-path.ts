/**
 * Returns the request as a proxy that removes the base path would have sent it; the same request if it has no base path.
 * Some proxies don't remove it, and pages that are opened without a proxy refer to paths with it.
 */
export function withoutBasePath(request: Request, basePath: string): Request {
  const { url } = request;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const rest = url.slice(start + basePath.length);
  if (start === -1 || !url.startsWith(basePath, start) || !/^([/?]|$)/.test(rest)) return request;
  return new Request(url.slice(0, start) + (rest.startsWith("/") ? rest : `/${rest}`), request);
}

/** Adds the base path to a Location of this server. */
export function locateBelow(response: Response, basePath: string): Response {
  const location = response.headers.get("location");
  if (location?.startsWith("/") === true && !location.startsWith("//"))
    response.headers.set("location", basePath + location);
  return response;
}
