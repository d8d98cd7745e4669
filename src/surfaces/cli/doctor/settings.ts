import { statSync } from "node:fs";
import { describeConfig, type Config, type ConfigInput } from "../../../app/config/config.ts";
import { showListenAddress } from "../../../app/config/values.ts";
import { ok, warning, type Finding } from "./finding.ts";

const check = "configuration";

/** Checks for settings that are valid but may be a mistake. */
export function examineSettings(config: Config): Finding[] {
  const { listen, publicUrl, trustedProxies, rateLimit, corsOrigins, logLevel, acknowledgeNetworkRisk } = config;
  const isOpen = !/^(localhost|127\.|::1$)/.test(listen.host);
  const findings: Finding[] = [];
  const warn = (message: string, hint: string) => findings.push(warning(check, message, hint));
  if (isOpen && publicUrl?.startsWith("https://") !== true)
    warn(
      `The API listens on ${showListenAddress(listen)} without TLS, so API keys can be read in transit.`,
      "Put a reverse proxy with TLS in front of it and set --public-url https://…, or listen on 127.0.0.1.",
    );
  if (publicUrl?.startsWith("https://") === true && trustedProxies === 0)
    warn(
      "The server is behind a proxy but trusts none, so all clients share one limit for wrong keys.",
      "Set --trusted-proxies to the number of your reverse proxies.",
    );
  if (trustedProxies > 0 && isOpen && publicUrl === null)
    warn(
      `X-Forwarded-For is trusted from ${trustedProxies} proxies, but clients can reach the port directly.`,
      "Make the port reachable only for the proxy, or set --trusted-proxies 0.",
    );
  const off = Object.entries(rateLimit).filter(([, limit]) => limit === 0);
  if (off.length > 0)
    warn(
      `No rate limit is set per ${off.map(([window]) => window).join(", ")}.`,
      "Set --rate-limit-minute, --rate-limit-hour, and --rate-limit-day, so that one client cannot take all capacity.",
    );
  if (corsOrigins.includes("*"))
    warn("Pages of every origin may call the API.", "Set --cors-origins to the origins of your own pages.");
  if (["fatal", "silent"].includes(logLevel)) warn("Errors are not logged.", "Set --log-level to error or lower.");
  if (config.connector !== "manual" && config.connector !== "simulated" && !acknowledgeNetworkRisk)
    warn(
      `New accounts get the connector ${config.connector}, which does not run until its risk is accepted.`,
      "See Connectors in docs/network.md, then set OUTREACHD_ACKNOWLEDGE_NETWORK_RISK=true, or --connector manual.",
    );
  return findings.length > 0 ? findings : [ok(check, "The configuration is valid.")];
}

/**
 * A configuration file that contains secrets must only be readable by its owner (and a group that the operator chose).
 */
export function examineConfigFile({ flags, env }: ConfigInput): Finding[] {
  const path = flags["config"] ?? env["OUTREACHD_CONFIG"];
  if (typeof path !== "string" || path === "" || process.platform === "win32") return [];
  const secrets = describeConfig({ flags, env }).filter(
    ({ origin, value }) => origin === "file" && value === "[secret]",
  );
  if (secrets.length === 0 || (statSync(path).mode & 0o007) === 0) return [];
  const names = secrets.map(({ name }) => name).join(", ");
  const hint = `Fix it with: chmod o= ${path}`;
  return [warning(check, `Every user of this machine can read ${names} in ${path}.`, hint)];
}
