/** uvu loses what a `before` hook throws, so whatever may fail in one is said on standard error as well. */
export async function loudly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : cause);
    throw cause;
  }
}
