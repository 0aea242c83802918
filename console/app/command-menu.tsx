import { useEffect, useRef, useState } from 'preact/hooks'
import type { Agent } from '../../clients/typescript/index.ts'
import { agentPath, listAgents } from '../base/agents.ts'
import { go } from '../base/router.ts'
import { Fault } from '../ui/fault.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { places } from './places.ts'
import { menu, singleKeys } from './shortcuts.ts'
import './command-menu.css'

interface Command {
  to: string
  name: string
  icon: IconName
  keys?: string
}

/** The maximum number of results. With more, the user types another word. */
const maxResults = 100

/** Searches pages and the user's agents by name. */
export default function CommandMenu() {
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [term, setTerm] = useState('')
  const [chosen, setChosen] = useState(0)
  const [agents, setAgents] = useState<readonly Agent[]>([])
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    const asking = new AbortController()
    dialog.current?.showModal()
    listAgents(asking.signal).then(setAgents, (cause: unknown) => {
      if (!asking.signal.aborted) setError(cause)
    })
    return () => asking.abort()
  }, [])

  const found = matching(commandsOf(agents), term).slice(0, maxResults)
  const take = (command: Command | undefined) => {
    if (command === undefined) return
    dialog.current?.close()
    go(command.to)
  }

  function pressed(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') take(found[chosen])
    else if (step === undefined || found.length === 0) return
    else move((chosen + step + found.length) % found.length)
    event.preventDefault()
  }

  function move(to: number) {
    setChosen(to)
    list.current?.children[to]?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <dialog
      ref={dialog}
      class="dialog commands"
      aria-label="Command menu"
      onClose={() => {
        menu.value = false
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Page or agent"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found.length > 0 ? `command-${chosen}` : undefined}
        aria-autocomplete="list"
        placeholder="Go to a page or an agent"
        autocomplete="off"
        value={term}
        onInput={(event) => {
          setTerm(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={pressed}
      />
      <Fault error={error} />
      <div ref={list} id="commands" role="listbox" aria-label="Pages and agents">
        {found.map((command, i) => (
          <div
            key={command.to}
            id={`command-${i}`}
            role="option"
            aria-selected={i === chosen}
            tabIndex={-1}
            onClick={() => take(command)}
            onKeyDown={pressed}
          >
            <Icon name={command.icon} />
            <span>{command.name}</span>
            {singleKeys.value && command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="meta">No results.</p>}
      <label class="meta">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => {
            singleKeys.value = event.currentTarget.checked
          }}
        />
        Single-key shortcuts: / searches, g and a letter opens a page
      </label>
    </dialog>
  )
}

function commandsOf(agents: readonly Agent[]): Command[] {
  return [
    ...places.value.map(({ to, name, icon, letter }) => ({ to, name, icon, keys: `g ${letter}` })),
    { to: '/agents/new', name: 'New agent', icon: 'plus' },
    ...agents.map(({ id, name }) => ({ to: agentPath(id), name, icon: 'agent' as const })),
  ]
}

/** Returns the commands whose names contain all words of the term. Names that begin with it come first. */
function matching(commands: readonly Command[], term: string): Command[] {
  const words = term.toLowerCase().split(/\s+/).filter(Boolean)
  const named = commands.filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word)),
  )
  const begins = ({ name }: Command) => name.toLowerCase().startsWith(term.trim().toLowerCase())
  return [...named.filter(begins), ...named.filter((command) => !begins(command))]
}
