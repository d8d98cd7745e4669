import type { LeadFileThread } from "./leads/import/lead-file-thread.ts";
import type { ProspectFileThread } from "./prospecting/import/prospect-file-thread.ts";
import type { IndexThread } from "./storage/sqlite/directory/index-messages.ts";
import type { ReaderThread } from "./storage/sqlite/reader-thread.ts";
import { onThreadStart } from "./threads.ts";

/** Every task of a worker thread, with what it is started with. */
type Start = LeadFileThread | ReaderThread | IndexThread | ProspectFileThread;

// The entry point of every worker thread. It lies beside main.ts because a compiled executable finds it only there.
// Each task loads its own modules only: those of the others would take a few MB in every thread.
onThreadStart<Start>(async (start) => {
  switch (start.task) {
    case "lead-file": {
      const { runLeadFileThread } = await import("./leads/import/lead-file-thread.ts");
      return runLeadFileThread(start.port, start.init);
    }
    case "sqlite-reader": {
      const { runReaderThread } = await import("./storage/sqlite/reader-thread.ts");
      return runReaderThread(start.port, start.init);
    }
    case "prospect-index": {
      const { runIndexThread } = await import("./storage/sqlite/directory/index-thread.ts");
      return runIndexThread(start.port, start.init);
    }
    case "prospect-file": {
      const { runProspectFileThread } = await import("./prospecting/import/prospect-file-thread.ts");
      return runProspectFileThread(start.port, start.init);
    }
    default:
      throw new Error(`No thread knows the task ${JSON.stringify(start)}.`);
  }
});
