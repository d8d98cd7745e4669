/** Folders in the blob store for the files that jobs read. Each file has the ID of its job as its name. */
export const folderOfImports = { lead_import: "imports", prospect_import: "prospect-imports" } as const;

/** How long the file of a failed or canceled import is retained, so that the import can be retried. */
export const retryableMs = 7 * 86_400_000;
