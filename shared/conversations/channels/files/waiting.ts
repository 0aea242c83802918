import type { WaitingEvent } from '../turns/waiting.ts'

export type WaitingFile = WaitingEvent['files'][number]

/** Returns whether a file must still be downloaded. */
export function isMissing({ stored, fault }: WaitingFile): boolean {
  return stored === undefined && fault === undefined
}

/** Returns whether a file was downloaded and must still be committed. */
export function isStored({ stored, path, fault }: WaitingFile): boolean {
  return stored !== undefined && path === undefined && fault === undefined
}

/** Returns the files with one of them changed. */
export function withFile(
  files: readonly WaitingFile[],
  index: number,
  change: Partial<WaitingFile>,
): WaitingFile[] {
  return files.map((file, i) => (i === index ? { ...file, ...change } : file))
}
