import { runLeadFileThread, type LeadFileThread } from "./leads/import/lead-file-thread.ts";
import { runReaderThread, type ReaderThread } from "./storage/sqlite/reader-thread.ts";
import { onThreadStart } from "./threads.ts";

/** Every task of a worker thread, with what it is started with. */
type Start = LeadFileThread | ReaderThread;

// The entry point of every worker thread. It lies beside main.ts because a compiled executable finds it only there.
onThreadStart<Start>((start) => {
  switch (start.task) {
    case "lead-file":
      return runLeadFileThread(start.port, start.init);
    case "sqlite-reader":
      return runReaderThread(start.port, start.init);
    default:
      throw new Error(`No thread knows the task ${JSON.stringify(start)}.`);
  }
});
