import { useEffect, useRef, useState } from 'preact/hooks'
import type { AgentFileEntry } from '../../../../clients/typescript/index.ts'
import { PlatformError } from '../../../base/platform.ts'
import { Fault } from '../../../ui/fault.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Empty, Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'
import { folderPath } from './address.ts'
import { Entry } from './entry.tsx'
import { isListedLater } from './send.ts'
import { isOpen, uploads } from './uploads.ts'

interface FolderProps extends Pick<TabProps, 'agent'> {
  path: string
  /** Called when the control with the focus was removed. */
  onLost(): void
}

interface Listing {
  entries: AgentFileEntry[]
  /** True if there are more. */
  hasMore: boolean
}

/** The number of entries in each request. `tabs.ts` has it too. */
const limit = 200

/** The content of a folder. */
export function Folder({ agent: { id, name }, path, onLost }: FolderProps) {
  const pages = useRef(1)
  const [news, setNews] = useState('')
  const isChanged = useRef(false)
  /** The time until which files that were sent to a link may be listed. */
  const listedLater = useRef(0)
  const { isBusy, done, later } = countsOf(id)
  const loaded = useRef(done)

  const { data, error, reload } = useLoad<Listing>(
    `files ${id} ${path}`,
    async (signal) => {
      const entries: AgentFileEntry[] = []
      let cursor: string | null | undefined
      for (let page = 0; page < pages.current && cursor !== null; page++) {
        const query = { limit, path: path || undefined, cursor }
        const list = await agents.files.list(id, query, { signal })
        entries.push(...list.entries)
        cursor = list.cursor
      }
      return { entries, hasMore: cursor !== null }
    },
    () => {
      if (listedLater.current > performance.now()) return 2000
      // Agents and other programs write files too. More than one page would take several requests.
      return pages.current === 1 ? 15_000 : undefined
    },
  )

  useEffect(() => {
    loaded.current = Math.min(loaded.current, done)
    // Requests for the list count against the same limit as the uploads.
    if (done < loaded.current + (isBusy ? 20 : 1)) return
    loaded.current = done
    if (later > 0) listedLater.current = performance.now() + 15_000
    reload()
  }, [isBusy, done, later, reload])

  useEffect(() => {
    if (!isChanged.current) return
    isChanged.current = false
    if (document.activeElement === document.body) onLost()
  }, [data, onLost])

  function onChange(what: string) {
    isChanged.current = true
    setNews(what)
    reload()
  }

  if (error instanceof PlatformError && error.status === 404 && path !== '')
    return (
      <p>
        This folder does not exist. <a href={folderPath(id, '')}>Show all files</a>
      </p>
    )
  return (
    <>
      <Fault error={error} />
      <p class="visually-hidden" role="status">
        {news}
      </p>
      {data === undefined && error === undefined && <Skeleton />}
      {data?.entries.length === 0 &&
        (path === '' ? (
          <Empty icon="note" title="No files yet">
            {name} keeps its files here, even while it is stopped. Upload files for it to work on,
            or let it write some.
          </Empty>
        ) : (
          <p class="meta">This folder is empty.</p>
        ))}
      {data !== undefined && data.entries.length > 0 && (
        <ul class="list">
          {data.entries.map((entry) => (
            <Entry key={entry.path} agentId={id} entry={entry} onChange={onChange} />
          ))}
        </ul>
      )}
      {data?.hasMore && (
        <button
          type="button"
          class="button"
          onClick={() => {
            pages.current++
            reload()
          }}
        >
          Load more
        </button>
      )}
    </>
  )
}

/** Counts an agent's finished uploads. `later` counts the uploads that are listed a few seconds later. */
function countsOf(id: string) {
  const own = uploads.value.filter(({ agentId }) => agentId === id)
  const done = own.filter(({ state }) => state === 'done')
  return {
    isBusy: own.some(isOpen),
    done: done.length,
    later: done.filter(({ file }) => isListedLater(file)).length,
  }
}
