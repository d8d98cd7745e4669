import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./service.ts";

/** The configurations in deploy/, for Debian's nginx and Caddy on loopback. */

export const nginx = Bun.which("nginx", { PATH: `${process.env["PATH"]}:/usr/sbin` });
export const caddy = Bun.which("caddy");

export const sample = (name: string) => readFileSync(join(import.meta.dir, "../../deploy", name), "utf8");

// Workers of a root process would otherwise be unable to write to the folder.
const asRoot = process.getuid?.() === 0 ? "user root; " : "";

/** The command that runs nginx with a server block or more. */
export function nginxWith(site: string, folder: string): string[] {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const logs = `error_log ${folder}/error.log; pid ${folder}/pid;`;
  const http = `http { access_log off; ${temporary.join(" ")} ${site} }`;
  writeFileSync(join(folder, "nginx.conf"), `${asRoot}daemon off; worker_processes 1; ${logs} events {} ${http}`);
  return [nginx!, "-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
}

/** The command that runs Caddy with a site. */
export function caddyWith(text: string, folder: string): string[] {
  writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n}\n${text}`);
  return [caddy!, "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
}

/** A server block without TLS, for which the tests have no certificate. */
export const withoutTls = (site: string, port: number) =>
  site.replace("listen 443 ssl", `listen 127.0.0.1:${port}`).replace(/^ *ssl_certificate.*$/gm, "");

/** Runs a proxy on a free port, with files in a folder of its own. Resolves once it accepts connections. */
export async function startProxy(directory: string, command: (port: number, folder: string) => string[]) {
  const port = await freePort();
  const folder = join(directory, "proxy");
  mkdirSync(folder);
  const child = Bun.spawn(command(port, folder), {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await eventually("the proxy to respond", async () => {
    if (child.exitCode !== null) throw new Error(`Expected the proxy to run, it ended with ${child.exitCode}.`);
    return await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => null,
    );
  });
  return {
    port,
    async stop(): Promise<void> {
      child.kill();
      await child.exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port!;
}
