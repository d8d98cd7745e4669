import { getPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { standBack } from "../../src/threads.ts";

// 0 is the calling thread on Linux, as in `standBack`.
const before = getPriority(0);
standBack();
parentPort?.postMessage({ before, after: getPriority(0) });
