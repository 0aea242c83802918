import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** The address and secret of the gate. */
export interface Gate {
  /** The address of the backend surface. */
  url: string
  /** ROUTER_SECRET. */
  secret: string
  /** Pools the connections to the gate. */
  agent: Agent
}

/** The gate's permission: the upstream, and the headers that replace the client's. */
export interface Admission {
  upstream: string
  authorization: string
  /** Empty if no cookie remains. */
  cookie: string
}

/** The response for a client that the gate refuses. */
export interface GateRefusal {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export type Verdict = { admission: Admission } | { refusal: GateRefusal }

/** Request headers that the gate needs in addition to the credentials. */
const gateHeaders = [
  'accept',
  'authorization',
  'cookie',
  'origin',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
]

/** The gate's input for one request. It can be repeated for as long as the connection lasts. */
export type GateInput = Record<string, string>

/** Returns the headers that describe a request to the gate. */
export function questionAbout({
  headers,
  method = 'GET',
  url = '/',
  socket,
}: IncomingMessage): GateInput {
  const entries = gateHeaders.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return {
    ...Object.fromEntries(entries),
    'x-router-client': socket.remoteAddress ?? '',
    'x-forwarded-host': headers.host ?? '',
    'x-forwarded-method': method,
    'x-forwarded-uri': url,
    ...(headers.upgrade !== undefined && { 'x-forwarded-upgrade': headers.upgrade }),
  }
}

/**
 * Asks the gate whether a request may pass. The result is not cached: a cache would delay the end of a session or the
 * address of a new container, and the gate is only one local request away.
 * @throws Error if the gate cannot be reached or its response is invalid
 */
export async function ask(gate: Gate, question: GateInput, signal: AbortSignal): Promise<Verdict> {
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
