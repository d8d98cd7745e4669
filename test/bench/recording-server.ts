import { createApp } from "../../src/surfaces/app.ts";
import { loadConfig } from "../../src/app/config/config.ts";
import type { Connector } from "../../src/features/network/connector.ts";

/**
 * The service with a connector that tells a recorder (its address is the second argument) what it was asked to carry
 * out, so that a case can count how often each action really went out.
 */
const [dataDir = "", recorder = ""] = process.argv.slice(2);
const recording: Connector = {
  async carryOut({ jobId }) {
    await fetch(`${recorder}/${jobId}`, { method: "POST" });
    return { kind: "completed", reference: jobId };
  },
};
const config = loadConfig({ flags: { data: dataDir, listen: "127.0.0.1:0" }, env: { OUTREACHD_LOG_LEVEL: "error" } });
const app = await createApp(config, { connectors: { simulated: recording } });
await app.start();
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
console.log("ready");
