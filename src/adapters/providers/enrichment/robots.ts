import robotsParser from "robots-parser";

const site = "https://site.example";

/** Whether a robots.txt (RFC 9309) lets a robot fetch a path, with its query, of the site that it stands on. */
export function mayFetch(robotsTxt: string, robot: string, path: string): boolean {
  return robotsParser(`${site}/robots.txt`, robotsTxt).isAllowed(site + path, robot) ?? true;
}
