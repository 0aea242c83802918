/** How long a stream is read on whose reader has left: most of what is under way ends within it. */
const readOnMs = 10_000

/**
 * Reads an answer on whose caller has left, for the sake of its count, which comes last. An answer has no more
 * than the bytes that any may have.
 * @param stop ends the call to the model, and with it the chunks
 */
export async function readOn(chunks: AsyncGenerator<unknown>, stop: () => void): Promise<void> {
  const timer = setTimeout(stop, readOnMs)
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The caller has left and cannot be told; what was seen until then is settled.
  } finally {
    clearTimeout(timer)
  }
}
