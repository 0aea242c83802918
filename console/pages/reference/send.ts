import type { Operation } from './data.ts'
import { signedIn } from './session.ts'

/** The values of the form. */
export interface Filled {
  /** Parameters by name. */
  values: Readonly<Record<string, string>>
  body: string | File | undefined
  /** A key that is sent instead of the session. */
  bearer: string
}

/** A response, possibly not yet complete. */
export interface Received {
  status: number
  statusText: string
  milliseconds: number
  requestId: string | null
  text: string
  /** The file of a response that is not text. */
  file?: { address: string; name: string }
}

/** In characters. */
const maxShown = 200_000

/** An invalid field of the form. */
export class Unfit extends Error {}

/**
 * Sends an operation with the session cookie and its CSRF token, or with a key.
 * @param show called with each new state of the response
 * @throws Unfit for a missing field or invalid JSON, TypeError without a connection
 */
export async function send(
  operation: Operation,
  { values, body, bearer }: Filled,
  signal: AbortSignal,
  show: (received: Received) => void,
): Promise<void> {
  const { method } = operation
  const startedAt = performance.now()
  const response = await fetch(addressOf(operation, values), {
    method,
    headers: await headersOf(operation, values, bearer),
    body: body === '' ? undefined : fit(operation, body),
    credentials: bearer === '' ? 'same-origin' : 'omit',
    redirect: 'manual',
    signal,
  })
  const received: Received = {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - startedAt),
    requestId: response.headers.get('x-request-id'),
    text: '',
  }
  if (response.type === 'opaqueredirect') {
    show({ ...received, statusText: 'A redirect, which a page cannot read' })
    return
  }
  const type = response.headers.get('content-type') ?? ''
  if (/json|text/.test(type)) await readText(response, type, received, show)
  else show({ ...received, ...(await asFile(response, type)) })
}

function addressOf({ path, parameters }: Operation, values: Filled['values']): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]?.trim() ?? ''
    if (value === '') throw new Unfit(`Fill in ${name}.`)
    return encodeURIComponent(value)
  })
  const query = parameters.flatMap(({ in: at, name, required }): [string, string][] => {
    const value = values[name] ?? ''
    if (at !== 'query') return []
    if (value === '' && required === true) throw new Unfit(`Fill in ${name}.`)
    return value === '' ? [] : [[name, value]]
  })
  return query.length === 0 ? filled : `${filled}?${String(new URLSearchParams(query))}`
}

async function headersOf(
  { method, parameters, body, answers }: Operation,
  values: Filled['values'],
  bearer: string,
): Promise<Record<string, string>> {
  const headers = parameters.filter(({ in: at, name }) => at === 'header' && values[name])
  const [type] = Object.keys(body?.content ?? {})
  const takesKey = parameters.some(({ name }) => name === idempotencyKey)
  const onlyStreams = answers.every(({ content }) => isStream(Object.keys(content)))
  return {
    ...(type !== undefined && { 'content-type': type }),
    ...(takesKey && { [idempotencyKey]: crypto.randomUUID() }),
    ...(onlyStreams && { accept: 'text/event-stream' }),
    ...Object.fromEntries(headers.map(({ name }) => [name, values[name] ?? ''])),
    ...(bearer === '' ? await csrf(method) : { authorization: `Bearer ${bearer}` }),
  }
}

export const idempotencyKey = 'Idempotency-Key'

function isStream(types: readonly string[]): boolean {
  return types.length > 0 && types.every((type) => type === 'text/event-stream')
}

/** The platform rejects a change from a session without its CSRF token. */
async function csrf(method: string): Promise<Record<string, string>> {
  if (method === 'GET' || !signedIn.value) return {}
  const answer = await fetch('/api/auth/csrf').catch(() => undefined)
  if (answer?.ok !== true) return {}
  const { token } = (await answer.json()) as { token: string }
  return { 'x-csrf-token': token }
}

function fit({ body: taken }: Operation, body: Filled['body']): BodyInit | undefined {
  if (typeof body !== 'string' || taken?.content['application/json'] === undefined) return body
  try {
    return JSON.stringify(JSON.parse(body))
  } catch (error) {
    throw new Unfit(`The body is not JSON: ${(error as Error).message}`)
  }
}

async function readText(
  response: Response,
  type: string,
  received: Received,
  show: (received: Received) => void,
): Promise<void> {
  const isWhole = type.includes('application/json')
  let text = ''
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  for (;;) {
    const piece = await reader?.read()
    if (piece === undefined || piece.done) break
    text += decoder.decode(piece.value, { stream: true })
    if (!isWhole) show({ ...received, text: cut(text) })
  }
  show({ ...received, text: cut(isWhole ? indented(text) : text) })
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}\n… and more` : text
}

async function asFile(response: Response, type: string): Promise<Pick<Received, 'text' | 'file'>> {
  const blob = await response.blob()
  const [, name = 'answer'] =
    /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
  if (blob.size === 0) return { text: '' }
  return {
    text: `${blob.size.toLocaleString('en')} bytes of ${type === '' ? 'an unknown type' : type}`,
    file: { address: URL.createObjectURL(blob), name },
  }
}
