import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Where the gate is and what opens it. */
export interface Gate {
  /** The backend surface's address. */
  url: string
  /** ROUTER_SECRET. */
  secret: string
  /** Holds the connections to it. */
  agent: Agent
}

/** A request that may pass: where to, and with what in place of the client's own. */
export interface Admission {
  upstream: string
  authorization: string
  /** Empty for none. */
  cookie: string
}

/** What the client is answered instead. */
export interface Refusal {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export type Verdict = { admission: Admission } | { refusal: Refusal }

/** What the gate goes by, beside the credentials. */
const telling = [
  'accept',
  'authorization',
  'cookie',
  'origin',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]

/** A question about a request, which can be asked again as long as its connection lasts. */
export type Question = Record<string, string>

export function questionAbout({ headers, method = 'GET', url = '/' }: IncomingMessage): Question {
  const told = telling.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return {
    ...Object.fromEntries(told),
    'x-forwarded-host': headers.host ?? '',
    'x-forwarded-method': method,
    'x-forwarded-uri': url,
    ...(headers.upgrade !== undefined && { 'x-forwarded-upgrade': headers.upgrade }),
  }
}

/**
 * Asks the gate. Nothing is remembered of its answers: it knows of an ended session or a new container before any
 * cache would, and the question is one request on this machine.
 * @throws Error when the gate cannot be reached or answers what it never says
 */
export async function ask(gate: Gate, question: Question, signal: AbortSignal): Promise<Verdict> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...question, 'x-router-secret': gate.secret }
    request(`${gate.url}/api/gate`, { agent: gate.agent, headers, signal })
      .once('response', resolve)
      .once('error', reject)
      .end()
  })
  const body = await text(answer)
  const { statusCode: status = 502, headers } = answer
  if (status !== 200) return { refusal: { status, headers, body } }
  const [upstream, authorization, cookie] = ['upstream', 'authorization', 'cookie'].map(
    (name) => headers[`x-agent-${name}`],
  )
  if (typeof upstream !== 'string' || typeof authorization !== 'string')
    throw new Error('the gate let a request pass and did not say where to')
  return {
    admission: { upstream, authorization, cookie: typeof cookie === 'string' ? cookie : '' },
  }
}
