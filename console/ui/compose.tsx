import { useState } from 'preact/hooks'
import { Area } from './area.tsx'
import { Icon } from './icon.tsx'

interface ComposeProps {
  /** What was being written before, which the field begins with. */
  draft?: string | undefined
  maxLength?: number
  /** While the agent answers, nothing is sent and Stop is there in the place of Send. */
  isBusy: boolean
  isStopping?: boolean
  /** Hears each change of what is being written. */
  onDraft?(draft: string): void
  onSay(text: string): void
  onStop(): void
}

/** Where a person writes a message: Enter sends it, Shift and Enter break the line. */
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
