import { computed, signal } from '@preact/signals'
import { AuthenticationError } from '../../../../clients/typescript/core/errors.ts'
import type { ChatEvent } from '../../../../clients/typescript/index.ts'
import { platform, PlatformError } from '../../../base/platform.ts'
import { leaveIfSignedOut } from '../../../base/session.ts'
import { forgetFailure, addFailure } from '../../../ui/failures.ts'
import { isLost, pause, whenVisible } from './connection-loss.ts'
import { type ConversationOptions, History } from './history.ts'
import { notebook } from './notes.ts'
import type { HistoryPage } from './page.ts'
import { newTurn, isUnderWay, merged, type Turn } from './turn.ts'

/** Milliseconds between two renders of a streamed answer. */
const drawnEvery = 50

/** The number of lookups of a message after a lost connection, before it counts as lost. */
const maxLooks = 6

/** A conversation with an agent: past messages and current turns, from this tab or elsewhere. */
export class Conversation {
  readonly notes
  readonly history: History
  /** The reason if the messages cannot be loaded. */
  readonly error = signal<unknown>()
  readonly turns
  readonly active
  readonly #about: ConversationOptions
  readonly #live = signal<readonly Turn[]>([])
  readonly #ended = new AbortController()
  readonly #reading = new Map<string, AbortController>()
  /** Notifies other tabs of this browser about new messages. */
  readonly #tabs = new BroadcastChannel('chat')
  readonly #again = () => void this.look()

  constructor(about: ConversationOptions) {
    this.#about = about
    this.notes = notebook(`${about.agentId} ${about.topic}`)
    this.history = new History(about, this.#ended.signal)
    this.turns = computed(() => this.#past && merged(this.#past, this.#live.value))
    this.active = computed(() => this.turns.value?.some(isUnderWay) === true)
    const { signal } = this.#ended
    this.#tabs.addEventListener('message', () => void this.look(), { signal })
    document.addEventListener('visibilitychange', () => this.#turnAway(), { signal })
    const { sent } = this.notes.read()
    if (sent === undefined) return
    const turn = newTurn(sent.question)
    this.#live.value = [turn]
    void this.#recover(turn.key, sent.known)
  }

  close(): void {
    this.#ended.abort()
    forgetFailure(this.#again)
    this.#tabs.close()
    for (const reading of this.#reading.values()) reading.abort()
  }

  /** Loads past messages and current turns. */
  async look(): Promise<void> {
    const { agentId } = this.#about
    const { signal } = this.#ended
    try {
      const [page, runs] = await Promise.all([
        this.history.ask(),
        platform.runs.list({ agentId, state: 'active' }, { signal }),
      ])
      this.error.value = undefined
      forgetFailure(this.#again)
      this.#heard(page)
      for (const { id } of runs) this.#join(id)
    } catch (error) {
      if (signal.aborted) return
      leaveIfSignedOut(error)
      addFailure(error, this.#again)
      this.error.value = error
    }
  }

  /** @param isHeld the message is sent when the agent runs */
  say(question: string, isHeld: boolean): void {
    const turn = newTurn(question, { state: isHeld ? 'held' : 'sent' })
    this.#live.value = [...this.#live.value.filter((each) => !isOver(each, question)), turn]
    if (!isHeld) void this.#send(turn.key)
  }

  /** Sends the held messages: the agent has started, or its start has ended. */
  release(): void {
    for (const { key, state } of this.#live.value) if (state === 'held') void this.#send(key)
  }

  /** Cancels the current answer. The text so far stays. */
  async stop(): Promise<void> {
    for (const { key, id, state } of this.#live.value) {
      if (state === 'held') this.#change(key, { state: 'stopped' })
      if (state !== 'sent' && state !== 'answering') continue
      this.#change(key, { state: 'stopping', isUnwanted: true })
      if (id !== undefined) await this.#cancel(key, id)
      else await this.#find(key)
    }
  }

  /** A turn can only be cancelled when its id is known, which takes as long as the agent needs to wake up. */
  async #find(key: string): Promise<void> {
    for (;;) {
      await this.look()
      const turn = this.#get(key)
      if (turn === undefined || turn.id !== undefined || !isUnderWay(turn)) return
      await pause(1000, this.#ended.signal)
      if (this.#ended.signal.aborted) return
    }
  }

  async #cancel(key: string, id: string): Promise<void> {
    try {
      await platform.runs.cancel(id)
    } catch (error) {
      // The turn ended by itself; its stream reports the result.
      if (error instanceof PlatformError && error.code === 'RUN_ENDED') return
      leaveIfSignedOut(error)
      this.#change(key, { state: 'answering', isUnwanted: false, error })
    }
  }

  async #send(key: string): Promise<void> {
    const turn = this.#get(key)
    if (turn === undefined) return
    const { agentId, topic } = this.#about
    const known = this.#known()
    this.notes.note({ sent: { question: turn.question, known } })
    this.#change(key, { state: 'sent' })
    const named = topic === 'default' ? {} : { topic }
    const body = { agentId, message: turn.question, ...named }
    try {
      const isWhole = await this.#read(key, (signal) => platform.chat.stream(body, { signal }))
      if (!isWhole) await this.#recover(key, known)
    } catch (error) {
      if (this.#ended.signal.aborted) return
      if (isLost(error)) await this.#recover(key, known, error)
      else this.#fail(key, error)
    }
  }

  /** Resumes a turn after its stream was lost or closed. */
  async #recover(key: string, known: readonly string[], cause?: unknown): Promise<void> {
    const oldest = known.toSorted()[0] ?? ''
    for (let looks = 0; looks < maxLooks && this.#get(key)?.id === undefined; looks++) {
      if (looks > 0) await pause(1000 * looks, this.#ended.signal)
      await whenVisible(this.#ended.signal)
      if (this.#ended.signal.aborted) return
      await this.look()
      // If no request succeeds, nothing was looked up.
      if (this.error.value !== undefined) looks = Math.min(looks, 1)
      const question = this.#get(key)?.question
      const found = this.#past?.findLast(
        // An older turn can be loaded by now and have the same text.
        ({ id = '', ...turn }) => turn.question === question && id > oldest && !known.includes(id),
      )
      if (found?.id !== undefined) this.#name(key, found.id)
    }
    if (this.#get(key)?.id !== undefined) return this.#follow(key)
    this.#fail(key, cause ?? 'Your message may not have reached the agent. Send it again.')
  }

  /** Shows a turn that was started elsewhere or before this page was loaded. */
  #join(id: string): void {
    const question = this.#past?.find((turn) => turn.id === id)?.question
    if (question === undefined || this.#live.value.some((turn) => turn.id === id)) return
    const own = this.#live.value.find((turn) => turn.id === undefined && turn.question === question)
    // The turn was sent from this tab and did not have an id yet.
    if (own !== undefined) return this.#name(own.key, id)
    const turn = newTurn(question, { key: id, id, state: 'answering' })
    this.#live.value = [...this.#live.value, turn]
    void this.#follow(turn.key)
  }

  async #follow(key: string): Promise<void> {
    for (let tries = 0; ; tries++) {
      await whenVisible(this.#ended.signal)
      const turn = this.#get(key)
      if (this.#ended.signal.aborted || turn?.id === undefined || !isUnderWay(turn)) return
      const { id, eventId: lastEventId } = turn
      try {
        const open = (signal: AbortSignal) => platform.chat.turn(id, { lastEventId, signal })
        if (await this.#read(key, open)) return
        tries = 0
      } catch (error) {
        if (this.#ended.signal.aborted) return
        if (!isLost(error)) return this.#fail(key, error)
      }
      await pause(Math.min(8000, 500 * 2 ** tries), this.#ended.signal)
    }
  }

  /** Shows a turn's stream. @returns false if the stream ended before the turn */
  async #read(
    key: string,
    open: (signal: AbortSignal) => AsyncIterable<ChatEvent>,
  ): Promise<boolean> {
    const own = new AbortController()
    this.#reading.set(key, own)
    const shown = this.#get(key)
    let came = { answer: shown?.answer ?? '', place: shown?.place ?? 0, eventId: shown?.eventId }
    let drawing: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      clearTimeout(drawing)
      drawing = undefined
      const state = this.#get(key)?.state === 'stopping' ? 'stopping' : 'answering'
      this.#change(key, { ...came, state })
    }
    try {
      for await (const event of open(own.signal)) {
        const { eventId } = event
        const [id = '', at] = eventId?.split(':') ?? []
        const turn = this.#get(key)
        if (turn === undefined) return true
        if (turn.id === undefined && id !== '') this.#name(key, id)
        if (event.type === 'done') {
          const { reply: answer, model, usage } = event
          clearTimeout(drawing)
          drawing = undefined
          this.#change(key, { answer, model, usage, state: 'whole' })
          this.#over()
          return true
        }
        const place = Number(at) || came.place + 1
        if (place <= came.place) continue
        came = { answer: came.answer + event.content, place, eventId }
        // Chunks arrive faster than they can be read, so they are rendered together.
        drawing ??= setTimeout(draw, drawnEvery)
      }
      return false
    } finally {
      if (drawing !== undefined) draw()
      if (this.#reading.get(key) === own) this.#reading.delete(key)
    }
  }

  #name(key: string, id: string): void {
    this.#change(key, { id })
    this.notes.note({ sent: undefined })
    this.#tabs.postMessage(id)
    if (this.#get(key)?.isUnwanted) void this.#cancel(key, id)
  }

  #fail(key: string, error: unknown): void {
    // After the next sign-in, the user finds their text in the message field.
    if (error instanceof AuthenticationError) this.notes.note({ draft: this.#get(key)?.question })
    leaveIfSignedOut(error)
    const isStopped = error instanceof PlatformError && error.code === 'CANCELLED'
    this.#change(key, isStopped ? { state: 'stopped' } : { state: 'failed', error })
    this.#over()
  }

  #over(): void {
    this.notes.note({ sent: undefined })
    this.#tabs.postMessage('over')
    void this.look()
  }

  /** Shows the stored messages. For turns that failed here, keeps the reason. */
  #heard(page: HistoryPage): void {
    this.history.hear(page)
    const answered = new Set(this.#past?.flatMap(({ id, answer }) => (answer === '' ? [] : [id])))
    this.#live.value = this.#live.value.filter(
      (turn) => isUnderWay(turn) || turn.state === 'failed' || !answered.has(turn.id),
    )
  }

  /** A hidden tab closes a stream that it can resume later. */
  #turnAway(): void {
    if (!document.hidden) return void this.look()
    for (const [key, reading] of this.#reading)
      if (this.#get(key)?.id !== undefined) reading.abort()
  }

  get #past(): readonly Turn[] | undefined {
    return this.history.turns.value
  }

  #known(): string[] {
    return [...(this.#past ?? []), ...this.#live.value].flatMap(({ id }) => id ?? [])
  }

  #get(key: string): Turn | undefined {
    return this.#live.value.find((turn) => turn.key === key)
  }

  #change(key: string, change: Partial<Turn>): void {
    this.#live.value = this.#live.value.map((turn) =>
      turn.key === key ? { ...turn, ...change } : turn,
    )
  }
}

/** Returns whether a turn is a failed attempt of the message that is sent again. */
function isOver(turn: Turn, question: string): boolean {
  return turn.state === 'failed' && turn.question === question
}
