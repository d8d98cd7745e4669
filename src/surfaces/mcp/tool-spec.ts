/** The effect of a tool, from which its annotations follow. */
export type Effect = "reads" | "adds" | "changes" | "deletes" | "sends";

/** `METHOD /path`, spelled as in the OpenAPI document. */
export type OperationName = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /api/v2/${string}`;

/** How an operation of the API becomes a tool. Its title, arguments, and permission come from the OpenAPI document. */
export type ToolSpec = {
  operation: OperationName;
  effect: Effect;
  /** Whether calling it again with the same arguments has no further effect. Default: true for all methods but POST. */
  isIdempotent?: boolean;
  /** Whether it may reach people or vendors outside of this server. */
  isOpenWorld?: boolean;
  /** Added to the operation's description for the model: costs, warnings, and what to call before or after. */
  note?: string;
  /**
   * For tools that send, pay, or erase or import people: nothing happens without `dryRun: false`. `route`: the
   * operation has its own dry run. Otherwise, the operation `look` is called with the same arguments, and `effect` says
   * what would happen.
   */
  dryRun?: "route" | { look: OperationName; effect: string };
  /** The body is a file: the argument `content`, with the media type selected by the argument `format`. */
  file?: Record<string, string>;
  /** The equivalent operation for a global key, if `operation` requires a user's key. */
  globalOperation?: OperationName;
};

/** The tool looks something up. */
export const reads = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "reads",
  isIdempotent: true,
  ...rest,
});
export const adds = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "adds",
  ...rest,
});
export const changes = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "changes",
  ...rest,
});
export const deletes = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "deletes",
  ...rest,
});

/** Something is sent to people, now or later, which cannot be undone. */
export const sends = (operation: OperationName, rest: Partial<ToolSpec> = {}): ToolSpec => ({
  operation,
  effect: "sends",
  isOpenWorld: true,
  ...rest,
});
