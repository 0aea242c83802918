import type { SessionTurn } from '../workspace/sessions.ts'
import { asCalls, textOf } from './answer.ts'
import { argumentsOf, isFunctionCall, sentCall, validCall, wholeCalls } from './calls.ts'
import type { Message } from './messages.ts'

/**
 * The maximum length of the history in a prompt, in characters: text alone, and text with the providers' own fields.
 */
const limits = { text: 32_000, all: 128_000 }

/** The maximum length of a tool result in plain text, in characters. */
const longestInWords = 1000

/**
 * Returns the latest messages of a session that fit in the limits. They start with a user's message, so that no tool
 * result is without its call. A turn that ended between a tool call and the answer is plain text, because providers
 * refuse a conversation with such a turn. Turns that a provider refused in another form are plain text too.
 */
export function recentHistory(turns: readonly SessionTurn[]): Message[] {
  const inWords = turns.findLastIndex(({ retold }) => retold === true)
  const messages = turns.flatMap((turn, i) => {
    const isBroken = turn.truncated === true && turn.messages.at(-1)?.role === 'tool'
    return i < inWords || isBroken ? asPlainText(turn.messages) : turn.messages
  })
  const remaining = { ...limits }
  const groups = groupByQuestion(messages)
  const first = groups.findLastIndex((group) => {
    remaining.text -= JSON.stringify(group.map(withoutOpaque)).length
    return remaining.text < 0
  })
  const recent = groups.slice(first + 1)
  // The text of a turn is kept even if the providers' own fields do not fit.
  const plain = recent.findLastIndex((group) => {
    remaining.all -= JSON.stringify(group).length
    return remaining.all < 0
  })
  return [...asPlainText(recent.slice(0, plain + 1).flat()), ...recent.slice(plain + 1).flat()]
}

/** Groups messages: each user message with all that follows it: calls, results and replies. */
function groupByQuestion(messages: readonly Message[]): Message[][] {
  const groups: Message[][] = []
  for (const message of messages) {
    const group = groups.at(-1)
    if (message.role === 'user') groups.push([message])
    else group?.push(message)
  }
  return groups
}

/**
 * Returns a session's history and a new turn in a form that all providers accept: each call has an id, an object as its
 * arguments and a result, and each result has a call.
 */
export function soundMessages(history: readonly Message[], turn: readonly Message[]): Message[] {
  const sound: Message[] = []
  let unanswered: string[] = []
  const answerAll = () => {
    for (const tool_call_id of unanswered)
      sound.push({ role: 'tool', tool_call_id, content: '{"error":"The tool returned no result"}' })
    unanswered = []
  }
  for (const message of history) {
    const id = message['tool_call_id']
    if (message.role === 'tool' && !unanswered.some((each) => each === id)) continue
    if (message.role === 'tool') unanswered = unanswered.filter((each) => each !== id)
    else answerAll()
    const validated = withSoundCalls(message)
    unanswered.push(...idsOf(validated))
    sound.push(validated)
  }
  const results = new Set(turn.map((message) => message['tool_call_id']))
  unanswered = unanswered.filter((id) => !results.has(id))
  answerAll()
  return [...sound, ...turn]
}

function withSoundCalls(message: Message): Message {
  const { tool_calls: toolCalls, ...rest } = message
  if (message.role !== 'assistant' || !Array.isArray(toolCalls)) return message
  const calls = wholeCalls(toolCalls).map((call, i) =>
    sentCall(validCall(call, { id: call.id ?? `call_${i}` })),
  )
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls }
}

function idsOf({ tool_calls: calls }: Message): string[] {
  return wholeCalls(calls).flatMap(({ id }) => (id === undefined ? [] : [id]))
}

function isResult({ role }: Message): boolean {
  return role === 'tool' || role === 'function'
}

/** True if messages have anything but text. A provider may refuse it. */
export function isMoreThanWords(messages: readonly Message[]): boolean {
  return messages.some(
    (message) =>
      isResult(message) ||
      (message.role === 'assistant' &&
        Object.keys(message).some((name) => name !== 'role' && name !== 'content')),
  )
}

/** Returns messages with their tool calls and results as text of the assistant, and without provider fields. */
export function asPlainText(messages: readonly Message[]): Message[] {
  const plain: Message[] = []
  const addText = (text: string) => {
    if (text === '') return
    const last = plain.at(-1)
    if (last?.role !== 'assistant') return void plain.push({ role: 'assistant', content: text })
    plain.splice(-1, 1, { role: 'assistant', content: `${String(last.content)}\n\n${text}` })
  }
  for (const message of messages) {
    if (message.role === 'assistant') {
      const called = message['tool_calls'] ?? asCalls(message['function_call'])
      const calls = wholeCalls(called).filter(isFunctionCall)
      addText(textOf(message.content))
      for (const call of calls)
        addText(`[I called the tool ${call.function.name} with ${argumentsOf(call) ?? '{}'}.]`)
    } else if (isResult(message)) {
      const result = textOf(message.content)
      const cut = result.length > longestInWords
      addText(
        `[It answered: ${cut ? `${result.slice(0, longestInWords).toWellFormed()} […]` : result}]`,
      )
    } else plain.push(message)
  }
  return plain
}

function withoutOpaque({ role, content, tool_calls }: Message): Message {
  return { role, content, tool_calls }
}
