/** What a check found. A `problem` needs somebody; a `warning` may be meant so. */
export type Finding = {
  check: string;
  state: "ok" | "warning" | "problem";
  message: string;
  /** The way out, as a full sentence; absent when all is well. */
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
