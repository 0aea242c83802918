import { useEffect, useRef, useState } from 'preact/hooks'
import { platform } from '../../app/platform.ts'
import { heed } from '../../app/session.ts'
import type { Message } from '../../app/shapes.ts'
import { Area } from '../../ui/field.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'
import { useSticky } from '../../ui/sticky.ts'
import type { TabProps } from './tab.ts'
import { type Turn, useTurns } from './turns.ts'

/** A conversation with the agent. */
export default function Chat({ agent, reload }: TabProps) {
  const history = useLoad(
    `messages ${agent.id}`,
    async (signal) =>
      (
        await platform.get<{ messages: Message[] }>(
          `/api/chat?agentId=${encodeURIComponent(agent.id)}&limit=100`,
          { signal },
        )
      ).messages,
  )
  const { turns, say, stop, error, active } = useTurns(agent, reload)
  const log = useRef<HTMLDivElement>(null)
  const shown = [...(history.data ?? []).map(turnOf), ...turns]
  useSticky(log, shown.map(({ text }) => text.length).join())
  useEffect(() => {
    if (history.error !== undefined) heed(history.error)
  }, [history.error])

  return (
    <div class="card talk">
      <div
        ref={log}
        class="conversation"
        role="log"
        aria-label="Conversation"
        aria-busy={active}
        tabIndex={0}
      >
        {history.data === undefined && history.error === undefined && <Skeleton />}
        {history.data !== undefined && shown.length === 0 && (
          <p class="meta">Nothing was said yet. Say hello.</p>
        )}
        {shown.map((turn) => (
          <div key={turn.id} class="turn" data-from={turn.from}>
            <span class="visually-hidden">{turn.from === 'user' ? 'You: ' : 'Agent: '}</span>
            {turn.text}
          </div>
        ))}
        {active && agent.status !== 'running' && (
          <p class="meta">The agent is starting. Your message goes out as soon as it runs.</p>
        )}
      </div>
      <Fault error={error ?? history.error} />
      <Compose onSay={say} active={active} onStop={stop} />
    </div>
  )
}

function turnOf({ id, sender, content }: Message): Turn {
  return { id, from: sender, text: content }
}

function Compose({
  onSay,
  onStop,
  active,
}: {
  onSay(text: string): void
  onStop(): void
  active: boolean
}) {
  const [text, setText] = useState('')

  function send() {
    if (active || text.trim() === '') return
    setText('')
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
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {active ? (
        <button type="button" class="button" onClick={onStop}>
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
