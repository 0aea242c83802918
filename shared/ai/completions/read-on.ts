/**
 * Reads an answer to its end, for the sake of its count, which comes last. An answer has no more than the bytes that any
 * may have.
 */
export async function readOn(chunks: AsyncGenerator<unknown>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The caller has left and cannot be told; what was seen until then is settled.
  }
}
