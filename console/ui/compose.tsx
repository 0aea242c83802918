import { useState } from 'preact/hooks'
import { Area } from './area.tsx'
import { Icon } from './icon.tsx'

interface ComposeProps {
  /** The initial text of the field. */
  draft?: string | undefined
  maxLength?: number
  /** While the agent answers, Stop replaces Send. */
  isBusy: boolean
  isStopping?: boolean
  /** Called for each change of the text. */
  onDraft?(draft: string): void
  onSay(text: string): void
  onStop(): void
}

/** The message field: Enter sends, Shift+Enter adds a line. */
export function Compose({
  draft = '',
  maxLength,
  isBusy,
  isStopping = false,
  onDraft,
  onSay,
  onStop,
}: ComposeProps) {
  const [text, setText] = useState(draft)

  function write(changed: string) {
    setText(changed)
    onDraft?.(changed)
  }

  function send() {
    if (isBusy || text.trim() === '') return
    write('')
    onSay(text)
  }

  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Area
        label="Message"
        name="message"
        rows={1}
        placeholder="Write a message"
        autocomplete="off"
        maxLength={maxLength}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          if (!event.repeat) send()
        }}
      />
      {isBusy ? (
        <button type="button" class="button" aria-disabled={isStopping} onClick={onStop}>
          <Icon name="stop" />
          Stop answering
        </button>
      ) : (
        <button type="submit" class="button primary">
          <Icon name="send" />
          Send
        </button>
      )}
    </form>
  )
}
