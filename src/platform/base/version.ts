/** The version of this program, for `--version`, the health report and the OpenAPI document; the build writes it in. */
export { version } from "../../../package.json" with { type: "json" };
