import { Problem } from '../http/problem.ts'
import { AnswerBuilder, wasCut, wholeAnswer } from './answer.ts'
import type { ModelRequest } from './ask.ts'
import { argumentsOf, isFunctionCall, validCall, type ToolCall, wholeCalls } from './calls.ts'
import { eventsOf, type StreamItem } from './follow.ts'
import type { Message } from './messages.ts'
import { problemOf } from './responses.ts'
import type { Toolbox } from './toolbox.ts'
import { isStream, isSuccess, readWhole, type UpstreamAnswer } from './upstream.ts'

/** The maximum number of rounds with tools. In the round after them the model must reply. */
const maxRounds = 8

/** The number of calls that are executed in one round. The model is told that the others were not. */
const maxCalls = 4

/** No JSON, so that the tool reports an error to the model. */
const cutArguments = '{'

type OwnCall = ToolCall & { id: string }

interface Turn {
  toolbox: Toolbox
  messages: Message[]
  /** Receives the calls and results of the turn, which belong between its question and its reply. */
  steps: Message[]
  /** Receives the message of the last round, which is the answer. The messages of earlier rounds are in `steps`. */
  last: { message?: Message | undefined }
  signal: AbortSignal
  ask(question: ModelRequest): Promise<UpstreamAnswer>
}

/**
 * Runs a turn with tools: executes the model's calls and sends it the results until it replies. The caller gets one
 * reply in the model's format without the calls. A model that does not support tools is called without them.
 */
export async function askWithTools(turn: Turn): Promise<UpstreamAnswer> {
  const answer = await askRound(turn, 0)
  if (refusesTools(answer)) {
    await readWhole(answer)
    return turn.ask({ messages: turn.messages })
  }
  if (!isSuccess(answer)) return answer
  return isStream(answer)
    ? { ...answer, body: streamOfRounds(turn, answer) }
    : inRounds(turn, answer)
}

function askRound({ ask, messages, steps, toolbox }: Turn, round: number) {
  const { tools } = toolbox
  const all = [...messages, ...steps]
  return ask({ messages: all, tools, ...(round >= maxRounds && { tool_choice: 'none' }) })
}

/**
 * Returns whether the model has no tools. Providers use 400 and 422 for the request's form and 404 for a missing
 * endpoint.
 */
function refusesTools({ status }: UpstreamAnswer): boolean {
  return status === 400 || status === 404 || status === 422
}

async function inRounds(turn: Turn, first: UpstreamAnswer): Promise<UpstreamAnswer> {
  let answer = first
  for (let round = 1; ; round++) {
    const body = await readWhole(answer)
    const message = wholeAnswer(String(body))
    turn.last.message = message
    const calls = callsIn(message, { round, cut: wasCut(String(body)) })
    if (message === undefined || calls.length === 0) return { ...answer, body: once(body) }
    for await (const _ of executeCalls(turn, message, calls, round));
    answer = await askRound(turn, round)
    if (!isSuccess(answer)) return answer
  }
}

/** Joins the streams of the rounds into one: the text as it arrives, without the calls. */
async function* streamOfRounds(turn: Turn, first: UpstreamAnswer): AsyncGenerator<Buffer> {
  let answer = first
  for (let round = 1; ; round++) {
    const builder = new AnswerBuilder()
    const pending: StreamItem[] = []
    let calls: OwnCall[] = []
    for await (const event of eventsOf(answer)) {
      const data = typeof event === 'string' ? '' : event.data
      if (data === '[DONE]') {
        turn.last.message = builder.message(true)
        calls = callsIn(turn.last.message, { round, cut: builder.cut })
        if (calls.length > 0) continue
        yield* pending.splice(0).map(toBytes)
      }
      const text = builder.add(data)
      if (typeof event === 'string' || data === '[DONE]' || !builder.calling) yield toBytes(event)
      else if (text !== '') yield toBytes({ data: textEvent(text) })
      else if (builder.addedCall) continue
      else pending.push(event)
    }
    const { message } = turn.last
    if (message === undefined || calls.length === 0) return
    for await (const _ of executeCalls(turn, message, calls, round)) yield toBytes(': tool\n\n')
    answer = await askRound(turn, round)
    if (!isSuccess(answer)) throw problemOf(String(await readWhole(answer)), answer.status)
  }
}

/**
 * Executes the calls of a round one by one, and yields before each.
 * @throws Problem if the model calls tools after the last round
 */
async function* executeCalls(
  { toolbox, steps, signal }: Turn,
  message: Message,
  calls: readonly OwnCall[],
  round: number,
): AsyncGenerator<void> {
  if (round > maxRounds)
    throw new Problem(
      502,
      'too_many_rounds',
      'The model called tools in every round and did not reply',
    )
  const results: Message[] = []
  for (const [i, call] of calls.entries()) {
    yield
    const content =
      i < maxCalls ? await toolbox.run(call, signal) : '{"error":"Too many calls at once"}'
    results.push({ role: 'tool', tool_call_id: call.id, content })
  }
  // Added together, because models refuse a call without its result. Some providers refuse arguments that are not an
  // object.
  steps.push({ ...message, tool_calls: calls.map((call) => validCall(call, call)) }, ...results)
}

/** Returns the calls of a message, each with a name and its own id. Some models omit them. */
function callsIn(
  message: Message | undefined,
  { round, cut }: { round: number; cut: boolean },
): OwnCall[] {
  const ids = new Set<string>()
  const calls = wholeCalls(message?.['tool_calls']).filter(isFunctionCall)
  return calls.map((call, i) => {
    const id = call.id === undefined || ids.has(call.id) ? `call_${round}_${i}` : call.id
    ids.add(id)
    return ownCall(call, { id, cut })
  })
}

/** @param cut true if the message with the call ended at its limit of tokens */
function ownCall(call: ToolCall, { id, cut }: { id: string; cut: boolean }): OwnCall {
  const { name, arguments: text } = call.function
  // A call that was cut before its arguments would run without them.
  const given = cut && text === '' ? cutArguments : (argumentsOf(call) ?? text)
  const named = { name: name || 'unnamed', arguments: given }
  return { ...call, id, function: { ...call.function, ...named } }
}

function textEvent(content: string): string {
  return JSON.stringify({ choices: [{ index: 0, delta: { content } }] })
}

function toBytes(item: StreamItem): Buffer {
  if (typeof item === 'string') return Buffer.from(item)
  const name = item.event === undefined ? '' : `event: ${item.event}\n`
  const lines = item.data.split('\n').map((line) => `data: ${line}\n`)
  return Buffer.from(`${name}${lines.join('')}\n`)
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  yield body
}
