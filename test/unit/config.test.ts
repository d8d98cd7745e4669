import { expect, test } from "bun:test";
import { ConfigError, describeConfig, loadConfig, type ConfigInput } from "../../src/app/config/config.ts";
import type { Problem } from "../../src/app/config/sources.ts";

type Setting = { flags?: ConfigInput["flags"]; env?: ConfigInput["env"]; file?: string };

function input({ flags = {}, env = {}, file }: Setting): ConfigInput {
  if (file === undefined) return { flags, env };
  return { flags: { ...flags, config: "outreachd.toml" }, env, readFile: () => file };
}

const load = (setting: Setting = {}) => loadConfig(input(setting));

function problemsOf(setting: Setting): readonly Problem[] {
  try {
    load(setting);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test("without any setting the documented defaults hold", () => {
  expect(load()).toEqual({
    dataDir: "./outreachd-data",
    database: null,
    listen: { host: "127.0.0.1", port: 8080 },
    publicUrl: null,
    rateLimit: { minute: 60, hour: 1000, day: 10_000 },
    maxBodyBytes: 1_048_576,
    maxImportBytes: 2_147_483_648,
    idempotencyHours: 24,
    corsOrigins: [],
    trustedProxies: 0,
    logLevel: "info",
    logRequests: true,
    metrics: true,
    connector: "manual",
    acknowledgeNetworkRisk: false,
    connectors: {
      webhookSecret: null,
      privateHosts: [],
      unipileUrl: null,
      unipileApiKey: null,
      linkedapiUrl: "https://api.linkedapi.io",
      linkedapiToken: null,
      linkedapiIdentifications: null,
      simulation: {
        seed: 1,
        rates: { acceptances: 30, replies: 15, refusals: 0, busy: 0, unknown: 0, limitAfter: 0 },
      },
    },
    networkHosts: [],
    voiceVendors: {
      language: "en",
      elevenlabsApiKey: null,
      elevenlabsModel: "eleven_multilingual_v2",
      elevenlabsUrl: "https://api.elevenlabs.io",
      cartesiaApiKey: null,
      cartesiaModel: "sonic-3",
      cartesiaUrl: "https://api.cartesia.ai",
      chatterboxUrl: null,
      chatterboxDevnenUrl: null,
      pocketTtsUrl: null,
      xttsUrl: null,
      xttsSpeakersDir: null,
      openaiSpeechUrl: null,
      openaiSpeechApiKey: null,
      openaiSpeechModel: "tts-1",
      openaiSpeechVoice: null,
    },
    files: { place: null, scratchBytes: 4 * 2 ** 30 },
    backup: { schedule: null, keep: 7, place: null },
    timeZone: null,
    leadStatus: "nothing",
    phoneRegion: null,
    defaultCredits: 1000,
    monthlyCredits: 1000,
    creditsPerEnrichment: 1,
    creditsPerProspect: 1,
    upgradeUrl: null,
    enrichmentsPerHour: 100,
    enrichmentProviders: ["local"],
    pdlKey: null,
    prospectUrls: {},
    hunterKey: null,
    apolloKey: null,
    fullenrichKey: null,
    githubKey: null,
    gravatarKey: null,
    reacherKey: null,
    enrichmentUrls: {},
    enrichmentTimeouts: {},
    enrichmentSpendCaps: {},
    enrichmentVendors: null,
    allowPrivateHosts: [],
    adminEmail: "admin@localhost",
    auditRetentionDays: 3650,
    simulate: false,
    simulatedStart: null,
    drainSeconds: 10,
    voiceEngine: "local",
    voiceMaxClones: 5,
    voiceMaxBytes: 4 * 2 ** 30,
    voiceConsent: "off",
    voiceOriginals: "keep",
    voiceCacheBytes: 256 * 2 ** 20,
    eventDays: 90,
    messageDays: 0,
    maxStreams: 1000,
    maxStreamsPerKey: 100,
    openId: null,
    mail: null,
    webhookPrivateHosts: [],
    webhookDisableDays: 5,
  });
});

test("a flag wins over the environment, which wins over the file", () => {
  const file = 'data = "from-file"\nlog-level = "error"\ndrain-seconds = 3';
  const env = { OUTREACHD_DATA: "from-env", OUTREACHD_LOG_LEVEL: "warn" };
  const config = load({ flags: { data: "from-flag" }, env, file });
  expect(config.dataDir).toBe("from-flag");
  expect(config.logLevel).toBe("warn");
  expect(config.drainSeconds).toBe(3);
});

test("a configuration and what it holds can't be changed", () => {
  const config = load();
  for (const part of [config, config.listen, config.rateLimit, config.corsOrigins])
    expect(Object.isFrozen(part)).toBe(true);
});

test("all problems come at once, each with the name that its author used", () => {
  const problems = problemsOf({
    flags: { listen: "8080" },
    env: { OUTREACHD_RATE_LIMIT_HOUR: "many", OUTREACHD_LISTN: "x:1" },
    file: 'time-zone = "Mars/Base"\ncolour = "blue"\ndrain-seconds = true',
  });
  expect(problems).toEqual([
    { option: "--listen", message: 'Expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, got "8080".' },
    { option: "OUTREACHD_RATE_LIMIT_HOUR", message: 'Expected a whole number from 0 to 1000000000, got "many".' },
    {
      option: "time-zone in outreachd.toml, line 1, column 13",
      message: 'Expected an IANA time zone such as Europe/Berlin, got "Mars/Base".',
    },
    {
      option: "drain-seconds in outreachd.toml, line 3, column 17",
      message: 'Expected a whole number from 0 to 3600, got "true".',
    },
    { option: "OUTREACHD_LISTN", message: "Unknown variable. Did you mean OUTREACHD_LISTEN?" },
    { option: "colour in outreachd.toml, line 2, column 1", message: "Unknown option." },
  ]);
});

test("variables of the client commands and of tests are no problem, other programs' variables neither", () => {
  const env = {
    OUTREACHD_URL: "http://localhost:1",
    OUTREACHD_API_KEY: "k",
    OUTREACHD_API_KEY_FILE: "/run/secrets/key",
    OUTREACHD_TEST_BINARY: "/tmp/outreachd",
    PATH: "/bin",
  };
  expect(problemsOf({ env })).toEqual([]);
});

test("variables that Kubernetes makes for a service called outreachd are no problem", () => {
  const env = {
    OUTREACHD_SERVICE_HOST: "10.0.0.1",
    OUTREACHD_SERVICE_PORT_HTTP: "80",
    OUTREACHD_PORT: "tcp://10.0.0.1:80",
    OUTREACHD_PORT_80_TCP_ADDR: "10.0.0.1",
  };
  expect(problemsOf({ env })).toEqual([]);
});

test("an empty variable counts as not set", () => {
  expect(load({ env: { OUTREACHD_LISTEN: "", OUTREACHD_CONFIG: "" } }).listen.port).toBe(8080);
});

test.each([
  ["0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
  ["localhost:65535", { host: "localhost", port: 65_535 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
])("--listen %s is an address", (listen, address) => {
  expect(load({ flags: { listen } }).listen).toEqual(address);
});

test.each([":8080", "localhost", "localhost:65536", "::1:8080", "[zz]:1", "http://localhost:80"])(
  "--listen %s is refused",
  (listen) => {
    expect(problemsOf({ flags: { listen } })).toHaveLength(1);
  },
);

test.each([
  ["10MB", 10_000_000],
  ["512KiB", 524_288],
  ["1.5 mib", 1_572_864],
  ["2048", 2048],
])("a size may be written as %s", (written, bytes) => {
  expect(load({ env: { OUTREACHD_MAX_BODY_BYTES: written } }).maxBodyBytes).toBe(bytes);
});

test.each(["10 apples", "-1", "1e6", "1TiB", "12"])("%s is no size for a JSON body", (written) => {
  expect(problemsOf({ env: { OUTREACHD_MAX_BODY_BYTES: written } })).toHaveLength(1);
});

test("origins are a list with commas, or an array in the file", () => {
  const origins = ["https://app.example.com", "http://localhost:5173"];
  expect(load({ env: { OUTREACHD_CORS_ORIGINS: origins.join(", ") } }).corsOrigins).toEqual(origins);
  expect(load({ file: `cors-origins = ${JSON.stringify(origins)}` }).corsOrigins).toEqual(origins);
  expect(load({ flags: { corsOrigins: "*" } }).corsOrigins).toEqual(["*"]);
});

test.each(["https://app.example.com/", "app.example.com", "ftp://example.com", "https://a:b@example.com"])(
  "%s is no origin",
  (corsOrigins) => {
    expect(problemsOf({ flags: { corsOrigins } })).toHaveLength(1);
  },
);

test("the public URL loses its slash at the end and keeps its path", () => {
  expect(load({ flags: { publicUrl: "https://example.com/outreach/" } }).publicUrl).toBe(
    "https://example.com/outreach",
  );
  expect(load({ flags: { publicUrl: "https://example.com" } }).publicUrl).toBe("https://example.com");
  expect(problemsOf({ flags: { publicUrl: "https://example.com/?a=1" } })).toHaveLength(1);
});

test("a fixed offset is no time zone, because it ignores daylight saving", () => {
  expect(problemsOf({ flags: { timeZone: "+02:00" } })).toHaveLength(1);
  expect(load({ flags: { timeZone: "Europe/Berlin" } }).timeZone).toBe("Europe/Berlin");
});

test("a file that can't be read or parsed is named with its reason", () => {
  const missing = { flags: {}, env: { OUTREACHD_CONFIG: "/nowhere/outreachd.toml" } };
  expect(() => loadConfig(missing)).toThrow(/^OUTREACHD_CONFIG: Could not read the configuration file \/nowhere/);
  expect(problemsOf({ file: "listen = " })[0]).toMatchObject({ option: "--config" });
});

test("the description tells each option's value and where it came from", () => {
  const options = describeConfig(
    input({ flags: { listen: "[::1]:9000" }, env: { OUTREACHD_DRAIN_SECONDS: "5" }, file: 'connector = "simulated"' }),
  );
  const byName = (name: string) => options.find((option) => option.name === name);
  expect(byName("listen")).toMatchObject({
    flag: "--listen",
    env: "OUTREACHD_LISTEN",
    value: "[::1]:9000",
    origin: "flag",
  });
  expect(byName("drain-seconds")).toMatchObject({ value: "5", origin: "environment", unit: "seconds" });
  expect(byName("connector")).toMatchObject({ value: "simulated", origin: "file" });
  expect(byName("public-url")).toMatchObject({ value: null, origin: "default" });
});

test("the connectors are set up by variables, or by a file", () => {
  const env = {
    OUTREACHD_ACKNOWLEDGE_NETWORK_RISK: "true",
    OUTREACHD_UNIPILE_URL: "https://api1.unipile.com:13111/",
    OUTREACHD_UNIPILE_API_KEY: "unipile-key",
    OUTREACHD_LINKEDAPI_IDENTIFICATIONS: "ada=token-of-ada, bob=token-of-bob==",
    OUTREACHD_SIMULATED_RATES: "replies=50, limitAfter=20",
  };
  const file = 'acknowledge-network-risk = false\nnetwork-private-hosts = ["n8n", "10.0.0.0/8"]\nsimulated-seed = 7';
  const { acknowledgeNetworkRisk, connectors } = load({ env, file });
  expect(acknowledgeNetworkRisk).toBe(true);
  expect(connectors).toMatchObject({
    unipileUrl: "https://api1.unipile.com:13111",
    unipileApiKey: "unipile-key",
    privateHosts: ["n8n", "10.0.0.0/8"],
    linkedapiIdentifications: { ada: "token-of-ada", bob: "token-of-bob==" },
    simulation: { seed: 7, rates: { acceptances: 0, replies: 50, limitAfter: 20 } },
  });
  expect(load({ file: "acknowledge-network-risk = true" }).acknowledgeNetworkRisk).toBe(true);
});

test("secrets of the connectors come from files too, and are neither shown nor repeated in problems", () => {
  const secrets = {
    OUTREACHD_NETWORK_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    OUTREACHD_UNIPILE_API_KEY: "unipile-secret",
    OUTREACHD_LINKEDAPI_TOKEN: "linkedapi-secret",
    OUTREACHD_LINKEDAPI_IDENTIFICATIONS: "ada=identification-secret",
  };
  const env = Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, name]));
  const readFile = (name: string) => `${secrets[name as keyof typeof secrets]}\n`;
  expect(loadConfig({ flags: {}, env, readFile }).connectors).toMatchObject({
    webhookSecret: secrets.OUTREACHD_NETWORK_WEBHOOK_SECRET,
    linkedapiIdentifications: { ada: "identification-secret" },
  });
  const shown = describeConfig({ flags: {}, env, readFile });
  expect(shown.filter(({ value }) => value === "[secret]").map(({ env: name }) => name)).toEqual(Object.keys(secrets));
  for (const secret of ["unipile-secret", "linkedapi-secret", "identification-secret"])
    expect(JSON.stringify(shown)).not.toContain(secret);

  const wrong = Object.fromEntries(Object.keys(secrets).map((name) => [name, "hush hush"]));
  const problems = problemsOf({ env: wrong });
  expect(problems.map(({ option }) => option)).toEqual(Object.keys(secrets));
  expect(JSON.stringify(problems)).not.toContain("hush");
});

test("the vendors of voices are set up by variables, or by a file", () => {
  const env = {
    OUTREACHD_VOICE_LANGUAGE: "pt-BR",
    OUTREACHD_ELEVENLABS_API_KEY: "xi-secret",
    OUTREACHD_OPENAI_SPEECH_URL: "http://127.0.0.1:8091/v1/",
    OUTREACHD_XTTS_SPEAKERS_DIR: "/srv/xtts/speakers",
  };
  const file = 'chatterbox-url = "http://tts.local:4123"\ncartesia-model = "sonic-3.5"';
  expect(load({ env, file }).voiceVendors).toMatchObject({
    language: "pt-br",
    elevenlabsApiKey: "xi-secret",
    openaiSpeechUrl: "http://127.0.0.1:8091/v1",
    xttsSpeakersDir: "/srv/xtts/speakers",
    chatterboxUrl: "http://tts.local:4123",
    cartesiaModel: "sonic-3.5",
  });
});

test("keys of the vendors of voices come from files too, and are neither shown nor repeated in problems", () => {
  const variables = ["ELEVENLABS", "CARTESIA", "OPENAI_SPEECH"].map((name) => `OUTREACHD_${name}_API_KEY`);
  const env = Object.fromEntries(variables.map((name) => [`${name}_FILE`, name]));
  const readFile = (name: string) => `hush-${name.toLowerCase()}\n`;
  expect(loadConfig({ flags: {}, env, readFile }).voiceVendors.cartesiaApiKey).toBe("hush-outreachd_cartesia_api_key");
  const shown = describeConfig({ flags: {}, env, readFile });
  expect(shown.filter(({ value }) => value === "[secret]").map(({ env: name }) => name)).toEqual(variables);
  expect(JSON.stringify(shown)).not.toContain("hush");

  const problems = problemsOf({ env: Object.fromEntries(variables.map((name) => [name, "hush hush"])) });
  expect(problems.map(({ option }) => option)).toEqual(variables);
  expect(JSON.stringify(problems)).not.toContain("hush");
});

test("backups go to a directory or a bucket, whose keys may come from files and are not shown", () => {
  expect(load({ env: { OUTREACHD_BACKUP_TO: "/mnt/nas/b" } }).backup.place).toEqual({
    kind: "disk",
    path: "/mnt/nas/b",
  });
  const env = {
    OUTREACHD_BACKUP_SCHEDULE: "15 3 * * *",
    OUTREACHD_BACKUP_KEEP: "3",
    OUTREACHD_BACKUP_TO: "s3://my-bucket/teams/one/",
    OUTREACHD_BACKUP_S3_ENDPOINT: "https://s3.example.com/",
    OUTREACHD_BACKUP_S3_ACCESS_KEY_ID_FILE: "hush-id",
    OUTREACHD_BACKUP_S3_SECRET_ACCESS_KEY_FILE: "hush-key",
  };
  const readFile = (name: string) => `${name}\n`;
  expect(loadConfig({ flags: {}, env, readFile }).backup).toEqual({
    schedule: "15 3 * * *",
    keep: 3,
    place: {
      kind: "s3",
      bucket: "my-bucket",
      prefix: "teams/one",
      endpoint: "https://s3.example.com",
      region: "us-east-1",
      accessKeyId: "hush-id",
      secretAccessKey: "hush-key",
    },
  });
  expect(JSON.stringify(describeConfig({ flags: {}, env, readFile }))).not.toContain("hush");
});

test.each([
  ["s3://bucket/prefix", "need an access key"],
  ["s3://", "Expected a directory or s3://BUCKET/PREFIX"],
  ["s3://b/x", "Expected a bucket name of 3 to 63 lowercase letters"],
  ["s3://My_Bucket", 'that starts and ends with a letter or digit, got "My_Bucket"'],
  ["https://bucket.example.com", "Expected a directory or s3://BUCKET/PREFIX"],
])("backups can't go to %s without more", (to, message) => {
  const [problem] = problemsOf({ env: { OUTREACHD_BACKUP_TO: to } });
  expect(problem).toMatchObject({ option: "backup-to", message: expect.stringContaining(message) });
});

const bucketOfFiles = {
  OUTREACHD_FILES: "s3://my-bucket/files/",
  OUTREACHD_S3_ENDPOINT: "http://minio:9000",
  OUTREACHD_S3_REGION: "eu-central-1",
  OUTREACHD_S3_ACCESS_KEY_ID: "id",
  OUTREACHD_S3_SECRET_ACCESS_KEY: "key",
};

test("files go to a bucket, and backups use its service unless they have their own", () => {
  const s3 = { kind: "s3" as const, endpoint: "http://minio:9000", region: "eu-central-1" };
  const keys = { accessKeyId: "id", secretAccessKey: "key" };
  const env = { ...bucketOfFiles, OUTREACHD_BACKUP_TO: "s3://backups" };
  const both = load({ env });
  expect(both.files).toEqual({
    place: { ...s3, ...keys, bucket: "my-bucket", prefix: "files" },
    scratchBytes: 4 * 2 ** 30,
  });
  expect(both.backup.place).toEqual({ ...s3, ...keys, bucket: "backups", prefix: "" });
  const own = { OUTREACHD_BACKUP_S3_ENDPOINT: "https://b.example", OUTREACHD_BACKUP_S3_REGION: "us-west-2" };
  const others = { OUTREACHD_BACKUP_S3_ACCESS_KEY_ID: "id2", OUTREACHD_BACKUP_S3_SECRET_ACCESS_KEY: "key2" };
  expect(load({ env: { ...env, ...own, ...others } }).backup.place).toMatchObject({
    ...{ endpoint: "https://b.example", region: "us-west-2", accessKeyId: "id2", secretAccessKey: "key2" },
  });
});

test.each([
  [{ OUTREACHD_FILES: "/mnt/files" }, "files", "Expected s3://BUCKET/PREFIX"],
  [{ OUTREACHD_FILES: "s3://b/x" }, "files", "Expected a bucket name of 3 to 63 lowercase letters"],
  [{ OUTREACHD_S3_SECRET_ACCESS_KEY: "" }, "files", "Files in S3 need an access key"],
  [{ OUTREACHD_SIMULATE: "true" }, "files", "A simulation stores its files in its data directory"],
  [{ OUTREACHD_FILES_SCRATCH_BYTES: "1GiB" }, "files-scratch-bytes", "Expected at least max-import-bytes (2GiB)"],
])("files can't be stored with %p", (change, option, message) => {
  const [problem] = problemsOf({ env: { ...bucketOfFiles, ...change } });
  expect(problem).toMatchObject({ option, message: expect.stringContaining(message) });
});

test.each([
  ["OUTREACHD_BACKUP_SCHEDULE", "at night"],
  ["OUTREACHD_BACKUP_SCHEDULE", "2099-01-01T00:00:00"],
  ["OUTREACHD_BACKUP_SCHEDULE", "0 0 31 2 *"],
  ["OUTREACHD_BACKUP_KEEP", "0"],
  ["OUTREACHD_ACKNOWLEDGE_NETWORK_RISK", "yes"],
  ["OUTREACHD_NETWORK_PRIVATE_HOSTS", "10.0.0.0/99"],
  ["OUTREACHD_NETWORK_PRIVATE_HOSTS", "http://n8n"],
  ["OUTREACHD_NETWORK_WEBHOOK_SECRET", `whsec_${Buffer.alloc(8).toString("base64")}`],
  ["OUTREACHD_LINKEDAPI_IDENTIFICATIONS", "ada=tokentoken,ada=tokentoken"],
  ["OUTREACHD_SIMULATED_RATES", "replies=101"],
  ["OUTREACHD_SIMULATED_RATES", "replys=5"],
  ["OUTREACHD_SIMULATED_RATES", "refusals=60,busy=60"],
  ["OUTREACHD_VOICE_LANGUAGE", "english"],
  ["OUTREACHD_CHATTERBOX_URL", "ftp://127.0.0.1"],
  ["OUTREACHD_POCKET_TTS_URL", "http://user:secret@127.0.0.1:8000"],
  ["OUTREACHD_CARTESIA_MODEL", "sonic 3"],
])("%s is not taken as %s", (name, value) => {
  expect(problemsOf({ env: { [name]: value } }).map(({ option }) => option)).toEqual([name]);
});

test("sign-in by OpenID Connect needs its three parts, a public URL, and domains for new users", () => {
  const issuer = { OUTREACHD_OIDC_ISSUER: "https://id.example.com/realms/team" };
  const client = { OUTREACHD_OIDC_CLIENT_ID: "outreachd", OUTREACHD_OIDC_CLIENT_SECRET: "secret" };
  const publicUrl = { OUTREACHD_PUBLIC_URL: "https://outreach.example.com" };
  const optionsOf = (env: Record<string, string>) => problemsOf({ env }).map(({ option }) => option);
  expect(optionsOf({ ...issuer, ...client, ...publicUrl })).toEqual([]);
  expect(optionsOf({ ...issuer, ...publicUrl })).toEqual(["oidc-client-id", "oidc-client-secret"]);
  expect(optionsOf({ ...issuer, ...client })).toEqual(["public-url"]);
  expect(optionsOf({ ...issuer, ...client, ...publicUrl, OUTREACHD_OIDC_ROLE: "member" })).toEqual(["oidc-domains"]);
  for (const url of [
    "http://id.example.com",
    "https://u:p@id.example.com",
    "https://id.example.com/.well-known/openid",
  ])
    expect(optionsOf({ ...client, ...publicUrl, OUTREACHD_OIDC_ISSUER: url })).toContain("OUTREACHD_OIDC_ISSUER");
});

test("mail needs a server, a sender, a public URL, and user and password together", () => {
  const host = { OUTREACHD_SMTP_HOST: "smtp.example.com", OUTREACHD_PUBLIC_URL: "https://outreach.example.com" };
  const from = { OUTREACHD_SMTP_FROM: "Outreach <noreply@example.com>" };
  const optionsOf = (env: Record<string, string>) => problemsOf({ env }).map(({ option }) => option);
  expect(optionsOf({ ...host, ...from })).toEqual([]);
  expect(optionsOf(host)).toEqual(["smtp-from"]);
  expect(optionsOf(from)).toEqual(["smtp-host"]);
  expect(optionsOf({ ...host, ...from, OUTREACHD_SMTP_USER: "out" })).toEqual(["smtp-password"]);
  expect(optionsOf({ ...from, OUTREACHD_SMTP_HOST: "smtp.example.com" })).toEqual(["public-url"]);
  for (const wrong of ["nobody", "a@b\r\nBcc: c@d", "A, B <a@b>, <c@d>"])
    expect(optionsOf({ ...host, OUTREACHD_SMTP_FROM: wrong })).toContain("OUTREACHD_SMTP_FROM");
});

test.each([
  ['log-level = "info"\nlisten = = 1\n', 2, 10],
  ['# comment\n\nlisten = "127.0.0.1:8080\n', 3, 25],
  ['cors-origins = [\n  "https://a.example",\n]\n[table\n', 4, 7],
  ['log-level = "info"\nlog-level = "warn"\nmetrics = true\n', 2, 1],
  ["= 1", 1, 1],
])("an error in the file names its line and column: %j", (source, line, column) => {
  const load = () => loadConfig({ flags: { config: "outreachd.toml" }, env: {}, readFile: () => source });
  expect(load).toThrow(`Could not read the configuration file outreachd.toml: Line ${line}, column ${column}: `);
});
