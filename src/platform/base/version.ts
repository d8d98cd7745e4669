/** The version of this program, for `--version`, the health report, and the OpenAPI document. Inlined by the build. */
export { version } from "../../../package.json" with { type: "json" };
