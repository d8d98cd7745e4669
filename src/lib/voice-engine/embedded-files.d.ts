// Files that are part of the executable: an import `with { type: "file" }` is the path to read them from.
declare module "*.wasm" {
  const path: string;
  export = path;
}
declare module "*.onnx" {
  const path: string;
  export = path;
}
