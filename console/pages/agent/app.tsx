import { useEffect, useRef, useState } from 'preact/hooks'
import { Compose } from '../../ui/compose.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { Empty, Skeleton } from '../../ui/parts.tsx'
import { useSticky } from '../../ui/sticky.ts'
import { history, type PageMessage, say, newMessage, UserError } from './conversation.ts'

/** The agent's own page: one conversation with it. */
export function App({ name }: { name: string }) {
  const [messages, setMessages] = useState<PageMessage[]>()
  const [answer, setAnswer] = useState<string>()
  const [fault, setFault] = useState<string>()
  /** The last message, if it got no answer. */
  const [unanswered, setUnanswered] = useState<string>()
  const running = useRef<AbortController>(null)
  const loading = useRef<Promise<void>>(undefined)
  const log = useRef<HTMLDivElement>(null)
  const { isAtEnd, toEnd } = useSticky(log, `${messages?.length} ${answer?.length}`)
  const isBusy = answer !== undefined

  useEffect(() => {
    loading.current = history()
      .catch((error: unknown) => {
        setFault(wordsOf(error))
        return []
      })
      .then(setMessages)
  }, [])

  useEffect(() => {
    if (!isBusy) return undefined
    // Leaving the page would end the answer, so the browser asks first.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isBusy])

  /** @param isAgain resends the last message, which got no answer */
  async function send(text: string, isAgain = false) {
    const controller = new AbortController()
    running.current = controller
    let received = ''
    let isWhole = false
    setUnanswered(undefined)
    setAnswer('')
    // The history comes first, even if the user writes before it is loaded.
    await loading.current
    setFault(undefined)
    setMessages((all = []) => [...(isAgain ? all.slice(0, -1) : all), newMessage('user', text)])
    toEnd()
    try {
      await say(text, controller.signal, (piece) => {
        received += piece
        setAnswer(received)
      })
      isWhole = true
    } catch (error) {
      if (!controller.signal.aborted) setFault(wordsOf(error))
    }
    if (received !== '')
      setMessages((all = []) => [...all, newMessage('agent', received, !isWhole)])
    setAnswer(undefined)
    if (!isWhole && received === '') setUnanswered(text)
  }

  return (
    <div class="own-page">
      <header>
        <Icon name="mark" />
        <h1>{name}</h1>
      </header>
      <main class="card talk">
        <div
          ref={log}
          class="conversation"
          role="log"
          aria-label="Conversation"
          aria-busy={isBusy}
          tabIndex={0}
        >
          {messages === undefined && <Skeleton />}
          {messages?.length === 0 && (
            <Empty icon="agent" title="No messages yet">
              Write the first message below.
            </Empty>
          )}
          {messages?.map((one) => (
            <Turn key={one.id} {...one} />
          ))}
          {answer !== undefined && answer !== '' && (
            <div class="turn" data-from="agent">
              <span class="visually-hidden">Agent: </span>
              <Markdown text={answer} streaming />
            </div>
          )}
          {answer === '' && (
            <p class="meta thinking" role="status">
              Thinking
            </p>
          )}
          {unanswered !== undefined && (
            <div class="turn-end">
              <span>No answer came.</span>
              <button
                type="button"
                class="button small quiet"
                // The agent does not store a message without an answer.
                onClick={() => void send(unanswered, true)}
              >
                <Icon name="restart" />
                Retry
              </button>
            </div>
          )}
        </div>
        {!isAtEnd && (
          <button type="button" class="button small to-end" onClick={toEnd}>
            <Icon name="down" />
            Latest
          </button>
        )}
        <Fault error={fault} />
        <Compose
          isBusy={isBusy}
          onSay={(text) => void send(text)}
          onStop={() => running.current?.abort()}
        />
      </main>
    </div>
  )
}

function wordsOf(error: unknown): string {
  return error instanceof UserError ? error.message : 'Something went wrong. Reload the page.'
}

function Turn({ from, text, isCut }: PageMessage) {
  if (from === 'user')
    return (
      <div class="turn" data-from="user">
        <span class="visually-hidden">You: </span>
        {text}
      </div>
    )
  return (
    <>
      <div class="turn" data-from="agent">
        <span class="visually-hidden">Agent: </span>
        <Markdown text={text} streaming={false} />
      </div>
      <div class="turn-end">
        {isCut && <span>Stopped</span>}
        <Copy text={text} label="Copy answer" />
      </div>
    </>
  )
}
