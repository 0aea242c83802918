import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Pixels from the end that still count as the end. */
const near = 40

/**
 * Keeps the end of a scrolled element in view while content is added, unless the user has scrolled up.
 * @returns whether the end is in view, and a function that scrolls to it
 */
export function useSticky(
  element: RefObject<HTMLElement | null>,
  content: unknown,
): { isAtEnd: boolean; toEnd(): void } {
  const atEnd = useRef(true)
  /** The last known scroll position, in pixels. */
  const top = useRef(0)
  const [isAtEnd, setIsAtEnd] = useState(true)

  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const look = () => {
      top.current = current.scrollTop
      atEnd.current = isNearEnd(current)
      setIsAtEnd(atEnd.current)
    }
    current.addEventListener('scroll', look, { passive: true })
    return () => current.removeEventListener('scroll', look)
  }, [element])

  useLayoutEffect(() => {
    const { current } = element
    if (current === null || !atEnd.current) return
    // The user has just scrolled up. The browser reports it a frame later, and new content must not override it.
    if (current.scrollTop < top.current && !isNearEnd(current)) return
    current.scrollTop = current.scrollHeight
    top.current = current.scrollTop
  }, [element, content])

  return {
    isAtEnd,
    toEnd() {
      atEnd.current = true
      element.current?.scrollTo({ top: element.current.scrollHeight })
    },
  }
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < near
}
