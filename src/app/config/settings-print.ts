import type { Config } from "./config.ts";

/**
 * A keyed hash of all settings, equal for two processes of the same version with the same settings, wherever the
 * settings came from. It reveals nothing without `secret`. The data directory is left out: two processes may refer to
 * it by different paths.
 */
export function settingsPrint(config: Config, secret: string): string {
  return new Bun.CryptoHasher("sha256", secret).update(JSON.stringify({ ...config, dataDir: null })).digest("hex");
}
