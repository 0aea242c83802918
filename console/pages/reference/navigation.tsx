import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from '../../base/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Operation, reference, search } from './data.ts'
import { Method } from './method.tsx'
import { place } from './place.ts'
import { Words } from './words.tsx'

interface NavigationProps {
  /** True if narrow screens show the list. Wide screens always do. */
  isOpen: boolean
  onOpen(isOpen: boolean): void
}

/** Lists all operations by group, with a search. */
export function Navigation({ isOpen, onOpen }: NavigationProps) {
  const [text, setText] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const found = search(text)
  const at = place.value

  useEffect(() => {
    if (list.current !== null) scrollToCurrent(list.current)
  }, [at])

  function look(typedText: string) {
    setText(typedText)
    onOpen(true)
  }

  return (
    <nav class="operations" aria-label="Operations" data-open={isOpen}>
      <form
        class="find"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = found
          if (first !== undefined) location.hash = first.id
          onOpen(false)
        }}
      >
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search operations"
          aria-keyshortcuts="/"
          placeholder="Search operations"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => look(event.currentTarget.value)}
          onFocus={() => onOpen(true)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            setText('')
            onOpen(false)
            event.currentTarget.blur()
          }}
        />
        <kbd aria-hidden="true">/</kbd>
        <button
          type="button"
          class="button small toggle"
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
        >
          {isOpen ? 'Close' : 'All'}
          <span class="visually-hidden"> operations</span>
        </button>
      </form>
      <p class="visually-hidden" role="status">
        {text === '' ? '' : plural(found.length, 'operation')}
      </p>
      <div class="groups" ref={list}>
        {found.length === 0 && <p class="meta none">No operations found.</p>}
        {reference.groups.map((group) => (
          <Group
            key={group}
            name={group}
            operations={found.filter((operation) => operation.group === group)}
            at={at}
          />
        ))}
      </div>
    </nav>
  )
}

function Group({ name, operations, at }: { name: string; operations: Operation[]; at: string }) {
  if (operations.length === 0) return null
  return (
    <section>
      <h2>{name}</h2>
      <ul>
        {operations.map(({ id, method, summary }) => (
          <li key={id}>
            <a href={`#${id}`} aria-current={id === at ? 'page' : undefined}>
              <Method method={method} />
              <span>
                <Words text={summary} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Scrolls the list alone: scrollIntoView moves the whole page as well, and its heading beneath the bar. */
function scrollToCurrent(list: HTMLElement): void {
  const current = list.querySelector('[aria-current]')?.getBoundingClientRect()
  if (current === undefined) return
  const shown = list.getBoundingClientRect()
  list.scrollTop += current.top - shown.top - (shown.height - current.height) / 2
}
