import { useEffect, useRef, useState } from 'preact/hooks'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { TabProps } from './tab.ts'
import { useLines } from './lines.ts'

/** The agent's log as it is written. */
export default function Logs({ agent }: TabProps) {
  const { lines, error } = useLines(agent.id)
  const [held, setHeld] = useState<number>()
  const [term, setTerm] = useState('')
  const box = useRef<HTMLDivElement>(null)
  const shown =
    held === undefined ? lines : lines.slice(0, Math.max(0, held - (lines[0]?.number ?? 0)))

  useEffect(() => {
    if (held === undefined && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [held, lines])

  /** Holds the log as it stands: by the number of the line after the last one shown. */
  const hold = () => setHeld((before) => before ?? (lines.at(-1)?.number ?? -1) + 1)

  function scrolled(event: { currentTarget: HTMLElement }) {
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget
    if (held === undefined && scrollHeight - scrollTop - clientHeight > 40) hold()
  }

  function find(event: SubmitEvent) {
    event.preventDefault()
    const found = box.current?.querySelector('mark')
    if (!found) return
    hold()
    found.scrollIntoView({ block: 'center' })
  }

  return (
    <>
      <form class="log-tools" role="search" onSubmit={find}>
        <Field
          label="Search"
          type="search"
          name="term"
          autocomplete="off"
          value={term}
          onInput={(event) => setTerm(event.currentTarget.value)}
        />
        <button
          type="button"
          class="button"
          onClick={() => (held === undefined ? hold() : setHeld(undefined))}
        >
          <Icon name={held === undefined ? 'pause' : 'play'} />
          {held === undefined ? 'Pause' : 'Follow'}
        </button>
        <button type="button" class="button" onClick={() => download(agent.name, lines)}>
          <Icon name="down" />
          Download
        </button>
      </form>
      <Fault error={error} />
      <div ref={box} class="log" role="log" aria-label="Log" tabIndex={0} onScroll={scrolled}>
        {shown.length === 0 && <p class="meta">Nothing was written yet.</p>}
        {shown.map(({ number, text }) => (
          <div key={number}>{marked(text, term)}</div>
        ))}
      </div>
    </>
  )
}

function marked(text: string, term: string) {
  const at = term === '' ? -1 : text.toLowerCase().indexOf(term.toLowerCase())
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + term.length)}</mark>
      {text.slice(at + term.length)}
    </>
  )
}

function download(name: string, lines: readonly { text: string }[]): void {
  const text = lines.map((line) => `${line.text}\n`).join('')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = `${name.replaceAll(/[^\w.-]+/g, '-')}.log`
  link.click()
  URL.revokeObjectURL(link.href)
}
