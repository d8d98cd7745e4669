/** Where files that jobs read lie in the blob store; each is called like its job. */
export const folderOfImports = { lead_import: "imports", prospect_import: "prospect-imports" } as const;

/** The file of a failed or canceled import is kept this long, so that it can be retried. */
export const retryableMs = 7 * 86_400_000;
