import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatLine } from './format-line.ts'
import { pieces } from './search.ts'
import type { Line } from './tail.ts'

/** The height of a line in pixels, as in logs.css. */
export const lineHeight = 20

/** Lines rendered beyond the visible ones, so that scrolling shows no gaps. */
const beyond = 20

interface WindowProps {
  box: RefObject<HTMLDivElement | null>
  lines: readonly Line[]
  /** Changes when the lines change. The array itself stays the same. */
  version: number
  /** The view does not follow the end. */
  held: boolean
  term: string
  /** JSON lines are shown unformatted. */
  asWritten: boolean
  /** Called when the user scrolls up from the end. */
  onLeave(): void
}

/** Renders the visible part of a log: a few dozen elements of twenty thousand lines. */
export function LogWindow({ box, lines, version, held, term, asWritten, onLeave }: WindowProps) {
  const [top, setTop] = useState(0)
  const height = box.current?.clientHeight ?? 800
  const end = Math.max(0, lines.length * lineHeight - height)
  const from = Math.max(0, Math.floor((held ? top : end) / lineHeight) - beyond)
  const to = Math.min(lines.length, from + Math.ceil(height / lineHeight) + 2 * beyond)
  const last = useRef(0)

  useLayoutEffect(() => {
    const { current } = box
    if (current === null || held) return
    current.scrollTop = current.scrollHeight
    last.current = current.scrollTop
  }, [box, held, version])

  function scrolled({ currentTarget }: { currentTarget: HTMLElement }) {
    const { scrollTop } = currentTarget
    const isUp = scrollTop < last.current - 2
    last.current = scrollTop
    setTop(scrollTop)
    if (!held && isUp && scrollTop < end - 2 * lineHeight) onLeave()
  }

  return (
    <div ref={box} class="log" role="log" aria-label="Log" tabIndex={0} onScroll={scrolled}>
      {lines.length === 0 && <p class="meta">No log lines yet.</p>}
      <div class="log-all" style={{ height: `${lines.length * lineHeight}px` }}>
        <div class="log-part" style={{ transform: `translateY(${from * lineHeight}px)` }}>
          {lines.slice(from, to).map(({ number, text, isNote }) => (
            <div key={number} class={isNote ? 'log-line note' : 'log-line'}>
              <Marked text={asWritten ? text : formatLine(text)} term={term} />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function Marked({ text, term }: { text: string; term: string }) {
  return <>{pieces(text, term).map((piece, i) => (i % 2 === 0 ? piece : <mark>{piece}</mark>))}</>
}
