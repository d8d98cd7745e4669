/** Where files are stored, as configured. */
export type FilesPlace = { kind: "disk"; path: string } | S3Place;

export type S3Place = {
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
