import { Readable } from 'node:stream'
import { type Agent, toAgent } from '#shared/agents/record/agent.ts'
import { park, type ParkContext, type PendingApproval } from '#shared/permits/approvals/park.ts'
import { sessionOf } from '#shared/permits/approvals/session.ts'
import { permitted, policyDenied } from '#shared/permits/policy/ask.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { type HttpAnswer, sendRequest } from '#shared/platform/http-client/client.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { approvalHeader } from '#shared/platform/http-client/forwarded.ts'
import { publicTarget, type Resolve } from '#shared/platform/http-client/guarded.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import type { AgentActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { brokerSealer, type BrokerSettings } from './create.ts'
import { credentialsIn, valuePlace } from './credentials.ts'
import { brokerEffect, brokerSummary } from './effect.ts'
import { headerParts, placeholder } from './header.ts'
import { incomingHeaders, outgoingHeaders } from './headers.ts'
import type { OpenValue } from './open-value.ts'
import { toParked } from './parked.ts'
import { beginRecord, type UseRecord } from './record.ts'
import { formsOf, redactStream } from './redact.ts'
import { type BrokerTarget, hostRefused } from './target.ts'

/** A capability of verbs that send requests with broker credentials. */
export interface UsesCredentials extends BrokerSettings {
  open: OpenValue
  /** Resolves names; defaults to the system's resolver. */
  resolve?: Resolve | undefined
  /** The longest time until the host sends or accepts the next byte. */
  idleMs: number
}

export interface BrokerUse extends BrokerTarget {
  method: string
  headers: Headers
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** Called once, just before the first byte is sent. The request then uses a new connection, and is never repeated. */
  sending?: () => Promise<void>
}

export interface BrokerAnswer {
  status: number
  headers: [name: string, text: string][]
  /** Null if the response cannot have a body. The body ends after the use is recorded. */
  body: AsyncIterable<Uint8Array> | null
}

/**
 * Sends an agent's request to a host with a credential that the agent cannot see, and streams the response back,
 * including redirects. The use is recorded by one write, which delays the end of the response but not its start.
 * @throws PlatformError 404 for an unknown credential; 403 BROKER_HOST_REFUSED for a host that is private or not
 * allowed for the credential, POLICY_DENIED; 429 BROKER_BUSY, 502 BROKER_UNREACHABLE, 504 BROKER_TIMEOUT
 */
export async function useBrokerCredential(
  ctx: Pick<Context<AgentActor>, 'actor' | 'table' | 'log'> & ParkContext & UsesCredentials,
  { name, host, path, method, headers, body, signal, sending }: BrokerUse,
): Promise<BrokerAnswer> {
  const agent = callingAgent(ctx)
  const { header, value } = await credentialFor(ctx, { name, host })
  const target = targetOf(ctx, host)
  const effect = brokerEffect({ name, host, path, method, headers })
  // A request with `sending` is approved.
  if (sending === undefined) {
    const decision = await permitted(ctx, { agent, effect })
    if (decision.then === 'deny') throw policyDenied(effect, decision)
    if (decision.then === 'ask') {
      const request = await toParked({ name, host, path, method, headers, body })
      const summary = brokerSummary(effect, path)
      return pendingAnswer(
        await park(ctx, {
          agent,
          effect,
          session: sessionOf(headers),
          summary,
          request,
          uncount: decision.uncount,
        }),
      )
    }
  }
  const record = beginRecord(ctx, ctx.actor, { name, method, host })
  try {
    const bytes = body === null ? undefined : await bodyToSend(body)
    await sending?.()
    const answer = await sendRequest({
      target: { ...target, path },
      method,
      headers: outgoingHeaders(headers, header, body !== null),
      body: bytes,
      timeouts: { idleMs: ctx.idleMs },
      pooled: sending === undefined,
      signal: AbortSignal.any([signal, record.cut]),
    })
    checkStatus(answer)
    const length = hasNoBody(method, answer.status) ? 0 : lengthOf(answer)
    record.answered(answer.status, length)
    const forms = formsOf(value)
    const passed = incomingHeaders(answer.headers, forms)
    // Without a body, the end of the response cannot wait for the record.
    if (length === 0) {
      answer.close()
      await record.end()
      return { status: answer.status, headers: passed, body: null }
    }
    return {
      status: answer.status,
      headers: passed,
      body: passBack(answer, { forms, length, record }),
    }
  } catch (error) {
    await record.end()
    record.cut.throwIfAborted()
    throw error instanceof HttpFailure ? refusalOf(error) : error
  }
}

function pendingAnswer(pending: PendingApproval): BrokerAnswer {
  return {
    status: 202,
    headers: [
      ['content-type', 'application/json'],
      [approvalHeader, pending.approvalId],
    ],
    body: Readable.from([Buffer.from(JSON.stringify(pending))]),
  }
}

/** @throws PlatformError 401 if the agent is deleted */
function callingAgent({ actor }: Pick<Context<AgentActor>, 'actor'>): Agent {
  const agent = actor.rows.agent && toAgent(actor.rows.agent)
  if (agent === undefined || agent.deleting) throw new PlatformError('unauthorized', 'Unauthorized')
  return agent
}

async function credentialFor(
  ctx: Pick<Context<AgentActor>, 'actor'> & UsesCredentials,
  { name, host }: Pick<BrokerTarget, 'name' | 'host'>,
): Promise<{ header: [name: string, text: string]; value: string }> {
  const { rows, agentId } = ctx.actor
  const credentials = credentialsIn(rows.beside)
  const credential = Object.hasOwn(credentials, name) ? credentials[name] : undefined
  if (credential === undefined) throw notFound('Broker credential')
  if (!credential.hosts.includes(host))
    throw hostRefused(`${name} is only for ${credential.hosts.join(', ')}`)
  const place = valuePlace(agentId, name, credential)
  const value = await ctx.open(brokerSealer(ctx), credential.sealed, place)
  if (value === undefined)
    throw new PlatformError('conflict', `${name} can no longer be decrypted: create it again`)
  const [key, text] = headerParts(credential.header)
  return { header: [key, text.replace(placeholder, () => value)], value }
}

/** The host comes from the credential; the path is not parsed here. */
function targetOf({ allowed, resolve }: UsesCredentials, host: string) {
  try {
    return publicTarget(new URL(`https://${host}/`), { allowed, resolve, anyPort: true })
  } catch (error) {
    if (error instanceof AddressRefused) throw hostRefused('Requests to the host are not allowed')
    throw error
  }
}

function refusalOf(failure: HttpFailure): PlatformError {
  if (failure instanceof AddressRefused)
    return hostRefused('The host resolves to a private address')
  const options = { foreign: true, cause: failure } as const
  if (failure.kind === 'aborted')
    return new PlatformError('bad-request', 'The caller disconnected before the response', {
      ...options,
      code: 'CLIENT_CLOSED_REQUEST',
    })
  if (failure.kind === 'idle')
    return new PlatformError('timeout', 'The host did not answer in time', {
      ...options,
      code: 'BROKER_TIMEOUT',
    })
  return new PlatformError('bad-gateway', `The host could not be reached: ${failure.message}`, {
    ...options,
    code: 'BROKER_UNREACHABLE',
  })
}

/** Returns the body's length: as the host declares it, or as it arrived if all of it came with the headers. */
function lengthOf({ headers, arrived }: HttpAnswer): number | undefined {
  const length = headers['content-length']
  return length === undefined ? arrived : Number(length)
}

/** Node's client accepts any three digits, but a Response only these. */
function checkStatus({ status, close }: HttpAnswer): void {
  if (status >= 200 && status <= 599) return
  close()
  throw new HttpFailure('closed', 'the host responded with an invalid HTTP status')
}

/** RFC 9110, 6.4.1. */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304
}

/**
 * The last byte also waits for the record, because a client that knows the length has the whole response when it
 * receives this byte.
 */
async function* passBack(
  answer: HttpAnswer,
  {
    forms,
    length,
    record,
  }: { forms: readonly string[]; length: number | undefined; record: UseRecord },
): AsyncGenerator<Uint8Array> {
  let passed = 0
  try {
    for await (const chunk of redactStream(answer.body, forms)) {
      record.passedBack(chunk.length)
      passed += chunk.length
      if (passed === length) await record.end()
      yield chunk
    }
  } catch (error) {
    record.cut.throwIfAborted()
    throw error
  } finally {
    answer.close()
    await record.end()
  }
}

/** The largest body that is sent from memory: a request on a reused connection may have to be retried. */
const wholeBytes = 65_536

/**
 * Reads a small body into memory, so that it can use an existing connection: a handshake takes longer than everything
 * else.
 */
async function bodyToSend(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Buffer | AsyncIterable<Uint8Array>> {
  const parts = partsOf(body)
  const read: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await parts.next()
    if (done === true) return Buffer.concat(read)
    read.push(value)
    size += value.length
    if (size > wholeBytes) return rest(read, parts)
  }
}

async function* partsOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  yield* body
}

async function* rest(read: readonly Uint8Array[], parts: AsyncGenerator<Uint8Array>) {
  yield* read
  yield* parts
}
