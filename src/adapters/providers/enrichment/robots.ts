type Rule = { isAllowed: boolean; pattern: string };

/**
 * Whether a robots.txt (RFC 9309) lets a robot fetch a path: the group that names it counts, else the one for all; of
 * the rules that match the longest decides, and Allow among equals.
 */
export function mayFetch(robotsTxt: string, robot: string, path: string): boolean {
  const rules = rulesFor(robotsTxt, robot.toLowerCase());
  const [decisive] = rules
    .filter(({ pattern }) => matches(pattern, path))
    .toSorted((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed));
  return decisive?.isAllowed ?? true;
}

function rulesFor(robotsTxt: string, robot: string): Rule[] {
  const groups = new Map<string, Rule[]>();
  let current: Rule[][] = [];
  let isHeadOfGroup = false;
  for (const line of robotsTxt.split(/\r\n?|\n/)) {
    const [, key = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === "user-agent") {
      if (!isHeadOfGroup) current = [];
      isHeadOfGroup = true;
      const agent = value.trim().toLowerCase();
      const rules = groups.get(agent) ?? [];
      groups.set(agent, rules);
      current.push(rules);
    } else if (name === "allow" || name === "disallow") {
      isHeadOfGroup = false;
      // An empty Disallow allows everything, which is what holds without it.
      const pattern = value.trim();
      if (pattern !== "") for (const rules of current) rules.push({ isAllowed: name === "allow", pattern });
    }
  }
  return groups.get(robot) ?? groups.get("*") ?? [];
}

/** `*` stands for anything, `$` for the end. Walks on part by part, so that no pattern takes long. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const [start = "", ...parts] = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(start)) return false;
  let at = start.length;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (isLast && isAnchored) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return !isAnchored || at === path.length;
}
