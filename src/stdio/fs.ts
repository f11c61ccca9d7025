/**
 * Node's file system, without `import`: importing it evaluates every export, `fs.promises` and its streams too, which
 * costs the function 0.12 of an empty script's time.
 */
export const fs = process.getBuiltinModule('node:fs');
