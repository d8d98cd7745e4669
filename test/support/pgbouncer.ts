import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDirectory } from "./program.ts";
import { eventually } from "./service.ts";

/** Debian puts it where only root's PATH finds it. */
const program = Bun.which("pgbouncer") ?? (existsSync("/usr/sbin/pgbouncer") ? "/usr/sbin/pgbouncer" : null);
export const hasPgbouncer = program !== null;

/** pgbouncer in transaction mode, with few connections, before the database at `url`. `await using` ends it. */
export async function startPgbouncer(url: string, poolSize = 4) {
  const { hostname, port, username, pathname } = new URL(url);
  const directory = await createDirectory();
  chmodSync(directory.path, 0o755);
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const ownPort = listener.port;
  listener.stop(true);
  const file = join(directory.path, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
`,
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const child = Bun.spawn([...user, program!, file], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  await eventually("pgbouncer", async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with code ${child.exitCode}`);
    return await Bun.connect({ hostname: "127.0.0.1", port: ownPort, socket: { data() {} } }).then(
      (socket) => (socket.end(), true),
      () => null,
    );
  });
  const pooled = new URL(url);
  pooled.port = `${ownPort}`;
  return {
    url: pooled.href,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      await directory[Symbol.asyncDispose]();
    },
  };
}
