import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Returns the width of an element in pixels and updates it on resize. 0 before the first layout. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const look = () => setWidth(Math.floor(current.clientWidth))
    look()
    const observer = new ResizeObserver(look)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}
