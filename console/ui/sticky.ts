import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** Pixels from the end that still count as the end. */
const near = 40

/** Keeps the end of a scrolled element in view while content is added, unless its reader has scrolled up. */
export function useSticky(element: RefObject<HTMLElement | null>, content: unknown): void {
  const atEnd = useRef(true)

  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const look = () => {
      atEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < near
    }
    current.addEventListener('scroll', look, { passive: true })
    return () => current.removeEventListener('scroll', look)
  }, [element])

  useLayoutEffect(() => {
    const { current } = element
    if (current !== null && atEnd.current) current.scrollTop = current.scrollHeight
  }, [element, content])
}
