import { statSync } from "node:fs";
import { describeConfig, type Config, type ConfigInput } from "../../../app/config/config.ts";
import { showListenAddress } from "../../../app/config/values.ts";
import { ok, warning, type Finding } from "./finding.ts";

const check = "configuration";

/** Settings that are allowed and may be a mistake. */
export function examineSettings(config: Config): Finding[] {
  const { listen, publicUrl, trustedProxies, rateLimit, corsOrigins, logLevel, acknowledgeNetworkRisk } = config;
  const isOpen = !/^(localhost|127\.|::1$)/.test(listen.host);
  const findings: Finding[] = [];
  const warn = (message: string, hint: string) => findings.push(warning(check, message, hint));
  if (isOpen && publicUrl?.startsWith("https://") !== true)
    warn(
      `The API listens on ${showListenAddress(listen)} without TLS: keys can be read on the way.`,
      "Put a reverse proxy with TLS in front and name its address with --public-url https://…, or listen on 127.0.0.1.",
    );
  if (publicUrl?.startsWith("https://") === true && trustedProxies === 0)
    warn(
      "The server is behind a proxy, but trusts none: all strangers share one limit of wrong keys.",
      "Set --trusted-proxies to the number of your own proxies in front.",
    );
  if (trustedProxies > 0 && isOpen && publicUrl === null)
    warn(
      `X-Forwarded-For is believed from ${trustedProxies} proxies, and everybody can reach the port itself.`,
      "Let only the proxy reach the port, or set --trusted-proxies 0.",
    );
  const off = Object.entries(rateLimit).filter(([, limit]) => limit === 0);
  if (off.length > 0)
    warn(
      `There is no rate limit by the ${off.map(([window]) => window).join(", ")}.`,
      "Set --rate-limit-minute, --rate-limit-hour and --rate-limit-day, so that one client can't take everything.",
    );
  if (corsOrigins.includes("*"))
    warn("Pages of every origin may call the API.", "Name the origins of your own pages with --cors-origins.");
  if (["fatal", "silent"].includes(logLevel))
    warn("The log tells of no errors.", "Set --log-level to error, or lower.");
  if (config.connector !== "manual" && config.connector !== "simulated" && !acknowledgeNetworkRisk)
    warn(
      `New accounts get the connector ${config.connector}, which does not run before its risk is accepted.`,
      "See Connectors in docs/network.md, then set OUTREACHD_ACKNOWLEDGE_NETWORK_RISK=true, or --connector manual.",
    );
  return findings.length > 0 ? findings : [ok(check, "The configuration is sound.")];
}

/** A configuration file that holds secrets is for its owner alone (and a group that the operator chose). */
export function examineConfigFile({ flags, env }: ConfigInput): Finding[] {
  const path = flags["config"] ?? env["OUTREACHD_CONFIG"];
  if (typeof path !== "string" || path === "" || process.platform === "win32") return [];
  const secrets = describeConfig({ flags, env }).filter(
    ({ origin, value }) => origin === "file" && value === "[secret]",
  );
  if (secrets.length === 0 || (statSync(path).mode & 0o007) === 0) return [];
  const names = secrets.map(({ name }) => name).join(", ");
  const hint = `Close it with: chmod o= ${path}`;
  return [warning(check, `Every user of this machine can read ${names} in ${path}.`, hint)];
}
