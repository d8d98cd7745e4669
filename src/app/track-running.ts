import type { JobHandler } from "../platform/jobs/handler.ts";

/** Wraps a handler to tell whether any of its jobs is running. */
export function trackRunning(handler: JobHandler): { handler: JobHandler; isRunning: () => boolean } {
  let running = 0;
  return {
    handler: {
      ...handler,
      async run(job, context) {
        running++;
        return handler.run(job, context).finally(() => running--);
      },
    },
    isRunning: () => running > 0,
  };
}
