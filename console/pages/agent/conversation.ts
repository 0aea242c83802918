import { readEvents } from '../../../clients/typescript/core/event-stream.ts'

export interface PageMessage {
  /** The index among all messages on this page. */
  id: number
  from: 'user' | 'agent'
  text: string
  /** The answer was stopped before its end. */
  isCut: boolean
}

let count = 0

/** Makes a message with its own id. */
export function newMessage(from: PageMessage['from'], text: string, isCut = false): PageMessage {
  count += 1
  return { id: count, from, text, isCut }
}

/** The session id of this page's conversation. */
const session = 'page'

/** An error with a message for the user. */
export class UserError extends Error {}

/**
 * Loads the history.
 * @throws UserError
 */
export async function history(): Promise<PageMessage[]> {
  // Requesting a missing session directly would show an error in the browser's console.
  const list = await ask('/sessions')
  if (!list.ok) throw await errorOf(list)
  const { sessions } = (await list.json()) as { sessions: { sessionId: string }[] }
  if (!sessions.some(({ sessionId }) => sessionId === session)) return []
  const answer = await ask(`/sessions/${session}`)
  if (answer.status === 404) return []
  if (!answer.ok) throw await errorOf(answer)
  const { messages } = (await answer.json()) as { messages: { role: string; content: unknown }[] }
  return messages.flatMap(({ role, content }): PageMessage[] =>
    typeof content === 'string' && content !== '' && (role === 'user' || role === 'assistant')
      ? [newMessage(role === 'user' ? 'user' : 'agent', content)]
      : [],
  )
}

/**
 * Sends a message to the agent and passes on the answer in pieces. The agent stores a stopped answer.
 * @throws UserError if there is no answer or it is cut off; the signal's reason after an abort
 */
export async function say(
  content: string,
  signal: AbortSignal,
  onPiece: (piece: string) => void,
): Promise<void> {
  const answer = await ask('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: session, stream: true, messages: [{ role: 'user', content }] }),
    signal,
  })
  if (!answer.ok) throw await errorOf(answer)
  try {
    for await (const { event, data } of readEvents(answer)) {
      if (data === '[DONE]') return
      if (event === 'error') throw new UserError(messageOf(JSON.parse(data)) ?? brokenOff)
      onPiece(pieceOf(JSON.parse(data)))
    }
  } catch (error) {
    if (signal.aborted || error instanceof UserError) throw error
    throw new UserError(brokenOff)
  }
  throw new UserError(brokenOff)
}

const brokenOff =
  'The answer was cut off. The part above is saved. Send another message to continue.'

async function ask(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init?.signal?.aborted === true) throw error
    throw new UserError('Cannot reach the agent. Check your connection and try again.')
  }
}

function pieceOf(chunk: unknown): string {
  const { choices = [] } = Object(chunk) as { choices?: { delta?: { content?: unknown } }[] }
  const content = choices[0]?.delta?.content
  return typeof content === 'string' ? content : ''
}

const steps: Readonly<Record<number, string>> = {
  401: 'Your access has expired. Open this agent again from the console or with `agents open`.',
  403: 'Your access has expired. Open this agent again from the console or with `agents open`.',
  404: 'This agent does not exist or is not yours.',
  502: 'The agent does not answer. It may be restarting. Try again in a moment.',
  503: 'The agent is not ready. Start it in the console, or try again in a moment.',
  504: 'The agent took too long to answer. Try again in a moment.',
}

/** Makes the error of a failed response, with what to do about it. */
async function errorOf(answer: Response): Promise<UserError> {
  const { status, headers } = answer
  const reason = messageOf(await answer.json().catch(() => undefined))
  const step = steps[status] ?? `The request failed (${status}). Try again.`
  if (reason === undefined || status === 401 || status === 403) return new UserError(step)
  const after = Number(headers.get('retry-after'))
  const again = after > 0 ? ` Try again in ${after} seconds.` : ' Try again in a moment.'
  const canHelp = status >= 500 || status === 429
  return new UserError(`${reason.replace(/([^.!?])$/, '$1.')}${canHelp ? again : ''}`)
}

/** Returns the message of an error in OpenAI's or the platform's format. */
function messageOf(body: unknown): string | undefined {
  const { error } = Object(body) as { error?: unknown }
  if (typeof error === 'string') return error
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}
