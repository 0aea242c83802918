import { fileLimit } from '#shared/agents/files/change.ts'

const megabyte = 1_048_576

/**
 * The limits of an archive: contract.md 11. Export and import share them, so that the platform accepts every archive
 * that it exports.
 */
export const archiveBounds = {
  packedBytes: 4 * megabyte,
  unpackedBytes: 20 * megabyte,
  /** The maximum number of messages, as many as one request can write; the newest are included. */
  messages: 10_000,
  /** The maximum number of files and folders: enough for 200 notes and all skills of a plan. */
  entries: 2000,
}

/** The limits of an archive with the agent's files. The storage bounds the files themselves. */
export const fileBounds = { bytes: 2 ** 50, entries: archiveBounds.entries + fileLimit }
