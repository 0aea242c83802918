import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useAttempt } from '../../../ui/attempt.ts'
import { Fault } from '../../../ui/fault.tsx'
import type { History } from './history.ts'

interface EarlierProps {
  history: History
  /** What scrolls. */
  log: RefObject<HTMLElement | null>
  /** Names the first turn that is shown. */
  first: string | undefined
}

/** The way to what was said before what is shown. What is in view stays there. */
export function Earlier({ history, log, first }: EarlierProps) {
  const { busy, error, attempt } = useAttempt()
  const shown = useRef(first)
  const { current } = log
  const below = useRef<number>(undefined)
  const isAdded = current !== null && shown.current !== undefined && first !== shown.current
  // Until this is drawn the page is as it was.
  if (isAdded) below.current = current.scrollHeight - current.scrollTop
  useLayoutEffect(() => {
    shown.current = first
    if (log.current === null || below.current === undefined) return
    log.current.scrollTop = log.current.scrollHeight - below.current
    below.current = undefined
  }, [log, first])
  async function load() {
    await history.earlier()
    // The button goes, and what was chosen by keys must not go with it.
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
