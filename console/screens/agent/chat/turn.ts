import type { Message, TokenUsage } from '../../../../clients/typescript/index.ts'

/** A message with its answer. */
export interface Turn {
  /** The key of its element in the page. */
  key: string
  /** The id of the message. Undefined until the platform returns it. */
  id: string | undefined
  question: string
  answer: string
  /**
   * `held` until the agent runs, `sent` until the first text arrives; `unanswered` is a past message without a known
   * answer.
   */
  state: 'held' | 'sent' | 'answering' | 'stopping' | 'whole' | 'stopped' | 'failed' | 'unanswered'
  model: string | null
  usage: TokenUsage | null
  error?: unknown
  /** The id of the last event, which contains its position. */
  eventId?: string | undefined
  place: number
  /** The turn is cancelled as soon as its id is known. */
  isUnwanted?: boolean
}

const underWay: ReadonlySet<Turn['state']> = new Set(['held', 'sent', 'answering', 'stopping'])

/** Returns whether an answer is still expected. */
export function isUnderWay({ state }: Turn): boolean {
  return underWay.has(state)
}

/** Makes a turn that was just sent or whose answer is about to be read. */
export function newTurn(question: string, more: Partial<Turn> = {}): Turn {
  const blank = { id: undefined, answer: '', model: null, usage: null, place: 0 }
  return { ...blank, key: crypto.randomUUID(), question, state: 'sent', ...more }
}

/** Groups messages into turns: answers belong to the message before them. */
export function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const { id, sender, content, cancelled, model = null, usage = null } of messages) {
    const last = turns.at(-1)
    if (sender === 'user' || last === undefined) {
      const question = sender === 'user' ? content : ''
      turns.push(newTurn(question, { key: id, id, state: 'unanswered' }))
      if (sender === 'user') continue
    }
    const turn = turns.at(-1)
    if (turn === undefined) continue
    turn.answer += turn.answer === '' ? content : `\n\n${content}`
    Object.assign(turn, { model, usage, state: cancelled ? 'stopped' : 'whole' })
  }
  return turns
}

/** Merges stored turns with current ones, which are newer. */
export function merged(past: readonly Turn[], live: readonly Turn[]): Turn[] {
  const ahead = new Map(live.map((turn) => [turn.id, turn]))
  const known = new Set(past.map(({ id }) => id))
  return [
    ...past.map((turn) => ahead.get(turn.id) ?? turn),
    ...live.filter(({ id }) => id === undefined || !known.has(id)),
  ]
}
