/**
 * Reads an answer to its end, because the token count comes last. Stops at the size limit of an answer.
 */
export async function readOn(chunks: AsyncGenerator<unknown>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The caller has disconnected and gets no error; the usage so far is settled.
  }
}
