import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { query } from '../../../base/router.ts'
import { Fault } from '../../../ui/fault.tsx'
import { Field } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import type { TabProps } from '../tab.ts'
import { formatLine } from './format-line.ts'
import { placesOf } from './search.ts'
import { type Line, Tail } from './tail.ts'
import { lineHeight, LogWindow } from './window.tsx'
import './logs.css'

/** The agent's live log. */
export default function Logs({ agent }: TabProps) {
  const since = query.value.get('since') ?? undefined
  const tail = useMemo(() => new Tail(agent.id, since), [agent.id, since])
  useEffect(() => {
    tail.open()
    return () => tail.close()
  }, [tail])
  const { lines } = tail
  const version = tail.version.value
  const held = tail.held.value
  const [term, setTerm] = useState('')
  const [found, setFound] = useState<{ term: string; number: number; words: string }>()
  const [asWritten, setAsWritten] = useState(false)
  const box = useRef<HTMLDivElement>(null)

  /** Scrolls to the first match, and then to the next with each submit. */
  function find(event: SubmitEvent) {
    event.preventDefault()
    const texts = lines.map(({ text }) => (asWritten ? text : formatLine(text)))
    const places = placesOf(texts, term)
    if (places.length === 0) {
      setFound({ term, number: -1, words: term === '' ? '' : 'No match' })
      return
    }
    tail.hold()
    const before = found?.term === term ? found.number : -1
    const next = places.findIndex((place) => (lines[place]?.number ?? 0) > before)
    const which = Math.max(0, next)
    const place = places[which] ?? 0
    const words = `${which + 1} of ${places.length.toLocaleString('en')}`
    setFound({ term, number: lines[place]?.number ?? 0, words })
    const { current } = box
    if (current !== null) current.scrollTop = place * lineHeight - current.clientHeight / 2
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
        <span class="meta log-found" role="status">
          {found?.term === term ? found.words : ''}
        </span>
        <button type="button" class="button" onClick={() => (held ? tail.follow() : tail.hold())}>
          <Icon name={held ? 'play' : 'pause'} />
          {held ? 'Follow' : 'Pause'}
        </button>
        <button
          type="button"
          class="button"
          aria-pressed={asWritten}
          onClick={() => setAsWritten((before) => !before)}
        >
          Raw
        </button>
        <button type="button" class="button" onClick={() => download(agent.name, lines)}>
          <Icon name="down" />
          Download
        </button>
      </form>
      <Fault error={tail.error.value} />
      <LogWindow
        box={box}
        lines={lines}
        version={version}
        held={held}
        term={term}
        asWritten={asWritten}
        onLeave={() => tail.hold()}
      />
    </>
  )
}

function download(name: string, lines: readonly Line[]): void {
  const text = lines.map((line) => `${line.text}\n`).join('')
  saveFile(`${name.replaceAll(/[^\w.-]+/g, '-')}.log`, text, 'text/plain')
}
