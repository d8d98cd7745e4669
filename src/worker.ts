import type { BackupThread } from "./backup/backup-thread.ts";
import type { LeadFileThread } from "./leads/import/lead-file-thread.ts";
import type { ProspectFileThread } from "./prospecting/import/prospect-file-thread.ts";
import type { IndexThread } from "./storage/sqlite/directory/index-messages.ts";
import type { SendingThread } from "./providers/webhooks/sending-thread.ts";
import type { ReaderThread } from "./storage/sqlite/reader-thread.ts";
import { onThreadStart } from "./threads.ts";
import type { AnalysisThread } from "./voice/threads/analysis-thread.ts";
import type { FittingThread } from "./voice/threads/fitting-thread.ts";
import type { SpeakingThread } from "./voice/threads/speaking-thread.ts";

/** Every task of a worker thread, with what it is started with. */
type Start =
  | LeadFileThread
  | ReaderThread
  | IndexThread
  | ProspectFileThread
  | AnalysisThread
  | FittingThread
  | SpeakingThread
  | BackupThread
  | SendingThread;

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
    case "voice-analysis": {
      const { runAnalysisThread } = await import("./voice/threads/analysis-thread.ts");
      return runAnalysisThread(start.port, start.init);
    }
    case "voice-fitting": {
      const { runFittingThread } = await import("./voice/threads/fitting-thread.ts");
      return runFittingThread(start.port, start.init);
    }
    case "voice-speaking": {
      const { runSpeakingThread } = await import("./voice/threads/speaking-thread.ts");
      return runSpeakingThread(start.port);
    }
    case "webhook-sending": {
      const { runSendingThread } = await import("./providers/webhooks/sending-thread.ts");
      return runSendingThread(start.port, start.init);
    }
    case "backup": {
      const [{ runBackupThread }, { createArchives }, { takeSnapshot }] = await Promise.all([
        import("./backup/backup-thread.ts"),
        import("./blobs/archives.ts"),
        import("./storage/sqlite/snapshot.ts"),
      ]);
      return runBackupThread(start.port, start.init, { createArchives, takeSnapshot });
    }
    default:
      throw new Error(`No thread knows the task ${JSON.stringify(start)}.`);
  }
});
