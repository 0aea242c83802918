import type { TaskStop } from '#shared/platform/containers/port.ts'

/** Exit codes with the same meaning in every container: 128 plus the signal that ended it. */
const exitWords: Readonly<Record<number, string>> = {
  126: 'its command cannot be run',
  127: 'its command was not found',
  134: 'it aborted',
  137: 'it was killed, perhaps because it hung or ran out of memory',
  139: 'it crashed in native code',
  143: 'it received a request to stop',
}

/** Returns the cause of an end in terms that a person can act on. */
export function causeOf({ code, exitCode, text }: TaskStop): string {
  if (/OutOfMemory/i.test(text)) return 'it ran out of memory'
  if (/CannotPull/i.test(text)) return `its image cannot be fetched: ${text}`
  if (exitCode === null) return text === '' ? `it ended without a reason (${code})` : text
  const words = exitWords[exitCode]
  return words === undefined
    ? `it exited with code ${exitCode}`
    : `${words} (exit code ${exitCode})`
}
