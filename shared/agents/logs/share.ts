import type { ContainerLogs, LogPage } from '#shared/platform/logs/port.ts'

/** The size and lifetime of the cache: the positions of two readers of one log rarely differ by more. */
const maxPages = 8
const cacheMs = 500

type Reading = Promise<LogPage | undefined>

/**
 * Shares each page among readers who request it at nearly the same time: several people often watch one agent, and a
 * page has up to a megabyte.
 */
export function sharedReads(logs: ContainerLogs, now: () => number = Date.now): ContainerLogs {
  const cache = new Map<string, { at: number; page: Reading }>()

  /** An empty page at the end may soon have lines, so only pages with lines are cached. */
  async function keepWhatHolds(name: string, page: Reading): Promise<void> {
    const found = await page.catch(() => undefined)
    const holds = found !== undefined && found.lines.length > 0
    if (!holds && cache.get(name)?.page === page) cache.delete(name)
  }

  return {
    ...logs,
    read(taskId, from) {
      const name = `${taskId} ${from ?? ''}`
      const known = cache.get(name)
      if (known !== undefined && now() - known.at < cacheMs) return known.page
      const page = logs.read(taskId, from)
      cache.delete(name)
      cache.set(name, { at: now(), page })
      const [oldest] = cache.keys()
      if (cache.size > maxPages && oldest !== undefined) cache.delete(oldest)
      void keepWhatHolds(name, page)
      return page
    },
  }
}
