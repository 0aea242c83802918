import { useState } from 'preact/hooks'
import { leaveIfSignedOut } from '../../base/session.ts'
import { useLoad } from '../../ui/load.ts'

export interface Page<T> {
  items: T[]
  /** The cursor of the next page. Null on the last page. */
  nextCursor: string | null
}

type Ask<T> = (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>

/**
 * A list that is loaded page by page.
 * @param key another value starts over
 */
export function usePages<T>(key: string, ask: Ask<T>) {
  const first = useLoad(key, (signal) => ask(undefined, signal))
  const [later, setLater] = useState<{ key: string; page: Page<T> }>()
  const [error, setError] = useState<unknown>()
  const after = later?.key === key ? later.page : undefined
  const nextCursor = after === undefined ? first.data?.nextCursor : after.nextCursor

  async function more() {
    setError(undefined)
    try {
      const page = await ask(nextCursor ?? undefined)
      setLater({ key, page: { ...page, items: [...(after?.items ?? []), ...page.items] } })
    } catch (error) {
      leaveIfSignedOut(error)
      setError(error)
    }
  }

  return {
    items: first.data === undefined ? undefined : [...first.data.items, ...(after?.items ?? [])],
    error: error ?? first.error,
    more: nextCursor ? more : undefined,
  }
}
