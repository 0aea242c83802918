import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** Copies a text to the clipboard and confirms it. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string | undefined }) {
  const [done, setDone] = useState(false)
  return (
    <button
      type="button"
      class="button small"
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(text)
        } catch {
          // The browser can refuse. The user can still select the text.
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
