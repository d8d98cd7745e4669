import type { Config } from "./config.ts";

/**
 * Equal for two processes of one version that were given the same settings, however they were. It tells none of them to
 * who lacks `secret`. Where the data lies is left out: each may name that in its own way.
 */
export function settingsPrint(config: Config, secret: string): string {
  return new Bun.CryptoHasher("sha256", secret).update(JSON.stringify({ ...config, dataDir: null })).digest("hex");
}
