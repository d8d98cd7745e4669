import robotsParser from "robots-parser";

const site = "https://site.example";

/** Whether a robots.txt (RFC 9309) allows a robot to fetch a path (with its query) from its site. */
export function mayFetch(robotsTxt: string, robot: string, path: string): boolean {
  return robotsParser(`${site}/robots.txt`, robotsTxt).isAllowed(site + path, robot) ?? true;
}
