import type { Message, TokenUsage } from '../../../../clients/typescript/index.ts'

/** A question with its answer. */
export interface Turn {
  /** Of its place in the page. */
  key: string
  /** Of the question; undefined until the platform has named it. */
  id: string | undefined
  question: string
  answer: string
  /**
   * `held` until the agent runs, `sent` until a word has come; `unanswered` is one of the past that nothing is known about.
   */
  state: 'held' | 'sent' | 'answering' | 'stopping' | 'whole' | 'stopped' | 'failed' | 'unanswered'
  model: string | null
  usage: TokenUsage | null
  error?: unknown
  /** The last event that was read, and its place. */
  eventId?: string | undefined
  place: number
  /** It is to be stopped as soon as it can be named. */
  isUnwanted?: boolean
}

const underWay: ReadonlySet<Turn['state']> = new Set(['held', 'sent', 'answering', 'stopping'])

/** Whether an answer is still to come. */
export function isUnderWay({ state }: Turn): boolean {
  return underWay.has(state)
}

/** A question that was just asked, or whose answer is about to be read. */
export function begunTurn(question: string, more: Partial<Turn> = {}): Turn {
  const blank = { id: undefined, answer: '', model: null, usage: null, place: 0 }
  return { ...blank, key: crypto.randomUUID(), question, state: 'sent', ...more }
}

/** What was said, as turns: answers belong to the question before them. */
export function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const { id, sender, content, cancelled, model = null, usage = null } of messages) {
    const last = turns.at(-1)
    if (sender === 'user' || last === undefined) {
      const question = sender === 'user' ? content : ''
      turns.push(begunTurn(question, { key: id, id, state: 'unanswered' }))
      if (sender === 'user') continue
    }
    const turn = turns.at(-1)
    if (turn === undefined) continue
    turn.answer += turn.answer === '' ? content : `\n\n${content}`
    Object.assign(turn, { model, usage, state: cancelled ? 'stopped' : 'whole' })
  }
  return turns
}

/** What was said together with what goes on here, which is ahead of it. */
export function merged(past: readonly Turn[], live: readonly Turn[]): Turn[] {
  const ahead = new Map(live.map((turn) => [turn.id, turn]))
  const known = new Set(past.map(({ id }) => id))
  return [
    ...past.map((turn) => ahead.get(turn.id) ?? turn),
    ...live.filter(({ id }) => id === undefined || !known.has(id)),
  ]
}
