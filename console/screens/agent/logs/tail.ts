import { signal } from '@preact/signals'
import type { LogLine } from '../../../../clients/typescript/index.ts'
import { platform } from '../../../base/platform.ts'
import { leaveIfSignedOut } from '../../../base/session.ts'
import { forgetFailure, addFailure } from '../../../ui/failures.ts'

export interface Line {
  /** Counts all lines, so that a line keeps its number when earlier ones are dropped. */
  number: number
  text: string
  /** A note about the log, such as the end of a container or lost lines. */
  isNote: boolean
}

/** contract.md 14: the most lines that are kept. */
const maxLines = 20_000

/**
 * An agent's live log. It continues over restarts and lost connections while the tab is visible. While the view is
 * paused, new lines are buffered; when the buffer is full, reading stops and later resumes there.
 */
export class Tail {
  /** The shown lines, oldest first. */
  lines: Line[] = []
  /** Incremented with each change, to render it. */
  readonly version = signal(0)
  readonly held = signal(false)
  readonly error = signal<unknown>()
  readonly #agentId: string
  readonly #since: string | undefined
  readonly #ended = new AbortController()
  #waiting: Line[] = []
  #place: string | undefined
  #count = 0
  #reading: AbortController | undefined
  #drawing: number | undefined

  readonly #again = () => {
    this.#reading?.abort()
    this.#reading = undefined
    this.#mind()
  }

  /** @param since where the log begins; default: the last thousand lines */
  constructor(agentId: string, since?: string) {
    this.#agentId = agentId
    this.#since = since
  }

  open(): void {
    const { signal } = this.#ended
    document.addEventListener('visibilitychange', () => this.#mind(), { signal })
    this.#mind()
  }

  close(): void {
    this.#ended.abort()
    forgetFailure(this.#again)
    this.#reading?.abort()
    if (this.#drawing !== undefined) cancelAnimationFrame(this.#drawing)
  }

  hold(): void {
    this.held.value = true
  }

  follow(): void {
    this.held.value = false
    for (const line of this.#waiting) this.lines.push(line)
    this.#waiting = []
    this.#draw()
    this.#mind()
  }

  /** Reads the stream while the tab is visible and the paused log has room. */
  #mind(): void {
    const isWanted = !this.#ended.signal.aborted && !document.hidden && !this.#isFull()
    if (!isWanted) {
      this.#reading?.abort()
      this.#reading = undefined
    } else if (this.#reading === undefined) {
      const own = new AbortController()
      this.#reading = own
      this.#read(own.signal).catch((error: unknown) => {
        if (own.signal.aborted) return
        leaveIfSignedOut(error)
        this.#fail(error)
      })
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const onReconnect = (error: unknown, waitMs: number) => {
      // A stream ends occasionally and is opened again. Only a longer interruption is an error.
      if (waitMs > 0) this.#fail(error)
    }
    const past = this.#since === undefined ? { tail: 1000 } : { since: this.#since }
    const from = { ...past, lastEventId: this.#place, signal, onReconnect }
    for await (const line of platform.logs.follow(this.#agentId, from)) {
      this.#place = line.id ?? this.#place
      this.error.value = undefined
      forgetFailure(this.#again)
      this.#take(line)
      if (!this.#isFull()) continue
      this.#mind()
      return
    }
  }

  #fail(error: unknown): void {
    addFailure(error, this.#again)
    this.error.value = error
  }

  #take(line: LogLine): void {
    const shown = { number: this.#count++, text: textOf(line), isNote: line.type !== 'line' }
    if (this.held.value) this.#waiting.push(shown)
    else {
      this.lines.push(shown)
      this.#draw()
    }
  }

  #isFull(): boolean {
    return this.held.value && this.lines.length + this.#waiting.length >= maxLines
  }

  /** Lines arrive in bursts, so they are rendered together. */
  #draw(): void {
    this.#drawing ??= requestAnimationFrame(() => {
      this.#drawing = undefined
      const over = this.lines.length - maxLines
      if (over > 0) this.lines.splice(0, over)
      this.version.value++
    })
  }
}

function textOf({ type, text = '', code }: LogLine): string {
  if (type === 'exit') return `– the container ended with code ${code ?? 'unknown'} –`
  return type === 'gap' ? '– lines are missing here –' : text
}
