/** An event of the server, as received from the event stream. */
export type LiveEvent = { id: string | null; type: string; data: unknown };

/** Parses an event stream incrementally (HTML standard, section 9.2.6). */
export function createParser(found: (event: LiveEvent) => void): (text: string) => void {
  let rest = "";
  let id: string | null = null;
  let name = "";
  let lines: string[] = [];

  function dispatch() {
    if (lines.length > 0) found(eventOf(id, name, lines.join("\n")));
    name = "";
    lines = [];
  }

  function take(line: string) {
    if (line === "") return dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    else if (field === "event") name = value;
    else if (field === "data") lines.push(value);
  }

  return (text) => {
    rest += text;
    const whole = rest.split(/\r\n|\n|\r(?!$)/);
    rest = whole.pop() ?? "";
    for (const line of whole) take(line);
  };
}

/** The data is JSON. Its `type`, if present, takes precedence over the event name. */
function eventOf(id: string | null, name: string, text: string): LiveEvent {
  let data: unknown = text;
  try {
    data = JSON.parse(text);
  } catch {
    // Plain text is accepted too.
  }
  const type =
    typeof data === "object" && data !== null && "type" in data && typeof data.type === "string" ? data.type : name;
  return { id, type: type || "message", data };
}
