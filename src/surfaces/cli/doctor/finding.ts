/** The result of a check. A `problem` needs attention; a `warning` may be intended. */
export type Finding = {
  check: string;
  state: "ok" | "warning" | "problem";
  message: string;
  /** How to fix it, as a full sentence; absent if nothing is wrong. */
  hint?: string;
};

export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message };
}

export function warning(check: string, message: string, hint: string): Finding {
  return { check, state: "warning", message, hint };
}

export function problem(check: string, message: string, hint: string): Finding {
  return { check, state: "problem", message, hint };
}
