import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** Puts a text on the clipboard and says so. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  return (
    <button
      type="button"
      class="button small"
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(text)
        } catch {
          // A browser may refuse it; the text is there to be marked.
          return
        }
        setDone(true)
      }}
    >
      <Icon name={done ? 'check' : 'copy'} />
      {label}
      <span class="visually-hidden" role="status">
        {done ? 'Copied' : ''}
      </span>
    </button>
  )
}
