/** With `type: "file"`, the path of the file. */
declare module "*.png";
