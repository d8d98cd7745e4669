/** Where archives are kept, as the configuration says. */
export type ArchivePlace =
  | { kind: "disk"; path: string }
  | {
      kind: "s3";
      bucket: string;
      /** Without slashes around it; "" = none. */
      prefix: string;
      /** Null = that of Amazon for the region. */
      endpoint: string | null;
      region: string;
      accessKeyId: string;
      secretAccessKey: string;
    };
