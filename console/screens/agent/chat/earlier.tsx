import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useAttempt } from '../../../ui/attempt.ts'
import { Fault } from '../../../ui/fault.tsx'
import type { History } from './history.ts'

interface EarlierProps {
  history: History
  /** The scrolled element. */
  log: RefObject<HTMLElement | null>
  /** The key of the first shown turn. */
  first: string | undefined
}

/** Loads earlier messages and keeps the visible ones in place. */
export function Earlier({ history, log, first }: EarlierProps) {
  const { busy, error, attempt } = useAttempt()
  const shown = useRef(first)
  const { current } = log
  const below = useRef<number>(undefined)
  const isAdded = current !== null && shown.current !== undefined && first !== shown.current
  // Measured before the new messages are rendered.
  if (isAdded) below.current = current.scrollHeight - current.scrollTop
  useLayoutEffect(() => {
    shown.current = first
    if (log.current === null || below.current === undefined) return
    log.current.scrollTop = log.current.scrollHeight - below.current
    below.current = undefined
  }, [log, first])
  async function load() {
    await history.earlier()
    // The button disappears, and the keyboard focus must move elsewhere.
    if (!history.hasEarlier.value) log.current?.focus({ preventScroll: true })
  }

  return (
    <>
      {history.hasEarlier.value && (
        <button
          type="button"
          class="button small earlier"
          aria-disabled={busy !== undefined}
          data-busy={busy !== undefined}
          onClick={() => attempt(load)}
        >
          Earlier messages
        </button>
      )}
      <Fault error={error} />
    </>
  )
}
