import type { BackupThread } from "./features/backup/backup-thread.ts";
import type { LeadFileThread } from "./features/leads/import/lead-file-thread.ts";
import type { WorkbookCsvThread } from "./platform/imports/workbook-csv-thread.ts";
import type { ProspectFileThread } from "./features/prospecting/import/prospect-file-thread.ts";
import type { IndexThread } from "./adapters/storage/sqlite/directory/index-messages.ts";
import type { SendingThread } from "./adapters/providers/webhooks/sending-thread.ts";
import type { ReaderThread } from "./adapters/storage/sqlite/reader-thread.ts";
import { onThreadStart } from "./threads.ts";
import type { AnalysisThread } from "./features/voice/threads/analysis-thread.ts";
import type { FittingThread } from "./features/voice/threads/fitting-thread.ts";
import type { SpeakingThread } from "./features/voice/threads/speaking-thread.ts";

/** Every task of a worker thread, with its input. */
type Start =
  | LeadFileThread
  | WorkbookCsvThread
  | ReaderThread
  | IndexThread
  | ProspectFileThread
  | AnalysisThread
  | FittingThread
  | SpeakingThread
  | BackupThread
  | SendingThread;

// Entry point of every worker thread. It is next to main.ts because a compiled executable finds it only there. Each
// task loads only its own modules: those of the others would take a few MB in every thread.
onThreadStart<Start>(async (start) => {
  switch (start.task) {
    case "lead-file": {
      const { runLeadFileThread } = await import("./features/leads/import/lead-file-thread.ts");
      return runLeadFileThread(start.port, start.init);
    }
    case "workbook-csv": {
      const { runWorkbookCsvThread } = await import("./platform/imports/workbook-csv-thread.ts");
      return runWorkbookCsvThread(start.port, start.init);
    }
    case "sqlite-reader": {
      const { runReaderThread } = await import("./adapters/storage/sqlite/reader-thread.ts");
      return runReaderThread(start.port, start.init);
    }
    case "prospect-index": {
      const { runIndexThread } = await import("./adapters/storage/sqlite/directory/index-thread.ts");
      return runIndexThread(start.port, start.init);
    }
    case "prospect-file": {
      const { runProspectFileThread } = await import("./features/prospecting/import/prospect-file-thread.ts");
      return runProspectFileThread(start.port, start.init);
    }
    case "voice-analysis": {
      const { runAnalysisThread } = await import("./features/voice/threads/analysis-thread.ts");
      return runAnalysisThread(start.port, start.init);
    }
    case "voice-fitting": {
      const { runFittingThread } = await import("./features/voice/threads/fitting-thread.ts");
      return runFittingThread(start.port, start.init);
    }
    case "voice-speaking": {
      const { runSpeakingThread } = await import("./features/voice/threads/speaking-thread.ts");
      return runSpeakingThread(start.port);
    }
    case "webhook-sending": {
      const { runSendingThread } = await import("./adapters/providers/webhooks/sending-thread.ts");
      return runSendingThread(start.port, start.init);
    }
    case "backup": {
      const [{ runBackupThread }, { createArchives }, { createBlobs }, { takeSnapshot }] = await Promise.all([
        import("./features/backup/backup-thread.ts"),
        import("./adapters/blobs/archives.ts"),
        import("./adapters/blobs/blobs.ts"),
        import("./adapters/storage/sqlite/snapshot.ts"),
      ]);
      return runBackupThread(start.port, start.init, {
        createArchives,
        findBlob: (files, name) => createBlobs(files, null).find(name),
        takeSnapshot,
        // Loaded only if needed: it is a large part of the program.
        takeLiveSnapshot: async (...parts) =>
          (await import("./adapters/storage/copy/live-snapshot.ts")).takeLiveSnapshot(...parts),
      });
    }
    default:
      throw new Error(`Unknown thread task: ${JSON.stringify(start)}.`);
  }
});
