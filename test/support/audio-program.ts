/** A program of its own: decodes the files named on the command line in a worker thread and prints what came out. */
const worker = new Worker(new URL("./audio-worker.ts", import.meta.url).href);
for (const path of process.argv.slice(2)) {
  const answer = new Promise<MessageEvent<unknown>>((resolve, reject) => {
    worker.addEventListener("message", resolve, { once: true });
    worker.addEventListener("error", reject, { once: true });
  });
  worker.postMessage(path);
  console.log(JSON.stringify((await answer).data));
}
worker.terminate();
