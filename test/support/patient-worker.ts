import { getPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { giveWay } from "../../src/threads.ts";

// 0 is the calling thread on Linux, as in `giveWay`.
const before = getPriority(0);
giveWay();
parentPort?.postMessage({ before, after: getPriority(0) });
