import type { ElysiaAdapter } from "elysia/adapter";
import { BunAdapter } from "elysia/adapter/bun";

/**
 * Elysia's adapter for Bun with JSON bodies left to `core.ts`, which reads them behind the check of the permission and
 * within limits. A parser of our own is no way to do so: in front of those Elysia looks at `request.body`, which makes a
 * stream of it that all is read through, a twentieth of a request.
 */
export const adapter: ElysiaAdapter = {
  ...BunAdapter,
  composeHandler: {
    ...BunAdapter.composeHandler,
    parser: { ...BunAdapter.composeHandler.parser, json: () => "" },
  },
};
