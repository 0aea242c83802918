import type { ComponentChildren } from 'preact'
import { Fault } from './fault.tsx'
import type { Loaded } from './load.ts'
import { Skeleton } from './parts.tsx'

interface LoadedListProps<Item> {
  of: Pick<Loaded<readonly Item[]>, 'data' | 'error'>
  /** Said while there is nothing in it. */
  none?: string
  /** How many lines hold its place while it is on its way. */
  lines?: number
  children(item: Item): ComponentChildren
}

/** A list that was asked for: what went wrong, its place while it is on its way, and each item as an `<li>`. */
export function LoadedList<Item>({
  of: { data, error },
  none = 'None yet.',
  lines = 1,
  children,
}: LoadedListProps<Item>) {
  return (
    <>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton lines={lines} />}
      {data?.length === 0 && <p class="meta">{none}</p>}
      {data !== undefined && data.length > 0 && <ul class="list">{data.map(children)}</ul>}
    </>
  )
}
