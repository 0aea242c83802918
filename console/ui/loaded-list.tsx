import type { ComponentChildren } from 'preact'
import { Fault } from './fault.tsx'
import type { Loaded } from './load.ts'
import { Skeleton } from './parts.tsx'

interface LoadedListProps<Item> {
  of: Pick<Loaded<readonly Item[]>, 'data' | 'error'>
  /** Its name for screen readers. */
  label?: string
  /** The text for an empty list. */
  none?: string
  /** The number of placeholder lines while loading. */
  lines?: number
  children(item: Item): ComponentChildren
}

/** A loaded list: its error, its placeholder while loading, or each item as `<li>`. */
export function LoadedList<Item>({
  of: { data, error },
  label,
  none = 'None yet.',
  lines = 1,
  children,
}: LoadedListProps<Item>) {
  return (
    <>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton lines={lines} />}
      {data?.length === 0 && <p class="meta">{none}</p>}
      {data !== undefined && data.length > 0 && (
        <ul class="list" aria-label={label}>
          {data.map(children)}
        </ul>
      )}
    </>
  )
}
