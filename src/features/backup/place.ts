/** Backup destination, as configured. */
export type ArchivePlace =
  | { kind: "disk"; path: string }
  | {
      kind: "s3";
      bucket: string;
      /** Without leading and trailing slashes; "" = no prefix. */
      prefix: string;
      /** Null = the AWS endpoint of the region. */
      endpoint: string | null;
      region: string;
      accessKeyId: string;
      secretAccessKey: string;
    };
