const megabyte = 1_048_576

/**
 * contract.md 11: what an archive may have. An export and an import keep to the same bounds, so that the platform takes back
 * each archive that it gave out.
 */
export const archiveBounds = {
  packedBytes: 4 * megabyte,
  unpackedBytes: 20 * megabyte,
  /** Of its conversations, the newest: what one request can write. */
  messages: 10_000,
  /** Files and folders: more than 200 notes and all skills of a plan. */
  entries: 2000,
}
