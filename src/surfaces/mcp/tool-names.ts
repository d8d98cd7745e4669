type Named = { name: string; method: string; path: string };

/** Replaces routes in a text with names of tools, because a model cannot call routes. */
export function withToolNames(text: string, tools: Iterable<Named>): string {
  if (!text.includes("/api/v2/")) return text;
  const all = [...tools];
  return text.replaceAll(
    /(?:\b(GET|POST|PUT|PATCH|DELETE) )?(\/api\/v2\/[\w/{}-]+)/g,
    (mention: string, method: string | undefined, path: string) =>
      all.find((tool) => tool.method === (method ?? "GET") && fits(tool.path, path))?.name ?? mention,
  );
}

function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const segments = path.split("/");
  return (
    wanted.length === segments.length &&
    wanted.every((part, at) => part === segments[at] || (part.startsWith("{") && segments[at] !== ""))
  );
}
