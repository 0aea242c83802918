import type { ContainerLogs, LogPage } from '../platform/logs/port.ts'

/** Pages that are kept, and for how long: readers of one log are seldom further apart. */
const mostPages = 8
const keptMs = 500

type Reading = Promise<LogPage | undefined>

/**
 * Logs whose pages are read once for all who ask for the same one at nearly the same time: what an agent prints is
 * watched by several people at once, and each page is up to a megabyte.
 */
export function sharedReads(logs: ContainerLogs, now: () => number = Date.now): ContainerLogs {
  const kept = new Map<string, { at: number; page: Reading }>()

  /** Behind the end there may be more in a moment, so only what holds something is kept. */
  async function keepWhatHolds(name: string, page: Reading): Promise<void> {
    const found = await page.catch(() => undefined)
    const holds = found !== undefined && found.lines.length > 0
    if (!holds && kept.get(name)?.page === page) kept.delete(name)
  }

  return {
    ...logs,
    read(taskId, from) {
      const name = `${taskId} ${from ?? ''}`
      const known = kept.get(name)
      if (known !== undefined && now() - known.at < keptMs) return known.page
      const page = logs.read(taskId, from)
      kept.delete(name)
      kept.set(name, { at: now(), page })
      const [oldest] = kept.keys()
      if (kept.size > mostPages && oldest !== undefined) kept.delete(oldest)
      void keepWhatHolds(name, page)
      return page
    },
  }
}
