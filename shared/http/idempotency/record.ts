import { sha256Hex } from '../../platform/crypto.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { ConditionFailed, type Item, type Key, type Table } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { idempotencyRows } from './rows.ts'

/** Answers are kept for a day, as callers may retry for that long. */
const keptSeconds = 86_400

/** What fits into one item beside the rest; an answer that does not is not kept, and a repeat is told so. */
const maxKeptCharacters = 120_000

/** contract.md, General rules: a key is free this long after its request died with its process. */
const leaseMs = 30_000

/** Two renewals in a row may fail before the lease of a live request ends. */
const renewEveryMs = 10_000

/** Of an answer that does not say. */
const json = 'application/json'

type Row = ReturnType<typeof idempotencyRows.parse>

export interface Claim {
  /** The same for every try under this key, also after a crash in the middle of one. */
  seed: string
  /** Keeps the answer for replays; not where a retry may do better. @param code of the error that was answered */
  finish(response: Response, code?: string): Promise<void>
}

export interface ClaimRequest {
  /** Whose key it is: two callers may choose the same one. */
  actor: string
  key: string
  request: string
  seed: string
  /** How long the request may still run, in milliseconds. One that may run longer than the lease renews it. */
  lockMs: number
  /** Headers that are part of the answer, in lower case: a replay has them too. */
  headers?: readonly string[] | undefined
  log: Pick<Log, 'warn'>
}

/**
 * Takes the right to run a request, or answers what it answered before.
 * @throws PlatformError 409 for another request under the same key, 409 IDEMPOTENCY_IN_PROGRESS while the first runs
 */
export async function claim(
  table: Table,
  { actor, key, request, seed, lockMs, headers = [], log }: ClaimRequest,
  now = Date.now(),
): Promise<Claim | Response> {
  const second = now / 1000
  const id = idempotencyRows.key({ actor, keyHash: await sha256Hex(key) })
  const requestHash = await sha256Hex(request)
  const taken = {
    requestHash,
    state: 'running' as const,
    holder: seed,
    lockedUntil: second + Math.min(lockMs, leaseMs) / 1000,
    expiresAt: Math.floor(second) + keptSeconds,
  }
  const values = { requestHash, running: 'running', now: second }
  const claimOf = (own: string): Claim => {
    const lease = lockMs > leaseMs ? renewLease({ table, log }, id, seed) : undefined
    return {
      seed: own,
      async finish(response, code) {
        using _ = lease
        await finish({ table, headers, holder: seed }, id, { response, code })
      },
    }
  }
  try {
    const item = await table.update(id, {
      set: taken,
      expression: '#seed = if_not_exists(#seed, :seed)',
      if: `attribute_not_exists(pk) OR (${left})`,
      values: { ...values, seed },
    })
    return claimOf(idempotencyRows.parse(item).seed)
  } catch (error) {
    if (!(error instanceof ConditionFailed) || error.item === undefined) throw error
    let row = idempotencyRows.parse(error.item)
    if (row.expiresAt <= second) {
      const overtaken = await replaceExpired(table, { ...id, ...taken, seed }, second)
      if (overtaken === undefined) return claimOf(seed)
      row = overtaken
    }
    // The answer to this very write was lost on its way, and the client library wrote again.
    if (row.state === 'running' && row.holder === seed) return claimOf(row.seed)
    return replay(row, requestHash)
  }
}

/** Renews the lease of a running request until it is disposed of. A killed process renews nothing. */
function renewLease(
  { table, log }: { table: Table } & Pick<ClaimRequest, 'log'>,
  id: Key,
  holder: string,
): Disposable {
  const timer = setInterval(() => {
    const renewed = table.update(id, {
      set: { lockedUntil: (Date.now() + leaseMs) / 1000 },
      if: '#holder = :holder AND #state = :running',
      values: { holder, running: 'running' },
    })
    written(renewed).then(
      (held) => held || clearInterval(timer),
      (error: unknown) => log.warn('the lease of an idempotency key was not renewed', { error }),
    )
  }, renewEveryMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The claim of a process that has ended, still within the day: its seed goes on. */
const left =
  '#requestHash = :requestHash AND #state = :running AND #lockedUntil <= :now AND #expiresAt > :now'

/**
 * What is over counts as absent, though the table may take days to remove it: nothing of it goes on, its seed neither.
 * @returns what is there instead, where another request was faster
 */
async function replaceExpired(table: Table, item: Item, now: number): Promise<Row | undefined> {
  try {
    await table.put(item, { if: 'attribute_not_exists(pk) OR #expiresAt <= :now', values: { now } })
    return undefined
  } catch (error) {
    if (error instanceof ConditionFailed && error.item !== undefined)
      return idempotencyRows.parse(error.item)
    throw error
  }
}

function replay(row: Row, requestHash: string): Response {
  if (row.requestHash !== requestHash)
    throw new PlatformError('conflict', 'Idempotency-Key was used for another request', {
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
  if (row.state !== 'done')
    throw new PlatformError('conflict', 'The first request with this key is still running', {
      code: 'IDEMPOTENCY_IN_PROGRESS',
      headers: { 'Retry-After': '1' },
    })
  if (row.body === undefined)
    throw new PlatformError('conflict', 'The first answer was too large to be kept', {
      code: 'IDEMPOTENCY_ANSWER_TOO_LARGE',
    })
  return new Response(row.body, {
    status: row.status ?? 200,
    headers: {
      ...row.headers,
      'content-type': row.contentType ?? json,
      'Idempotent-Replayed': 'true',
    },
  })
}

/** Writes nothing if another request has taken the key over after this one's lease ended. */
async function finish(
  { table, headers: kept, holder }: { table: Table; headers: readonly string[]; holder: string },
  id: Key,
  { response, code }: { response: Response; code: string | undefined },
): Promise<void> {
  const held = { if: '#holder = :holder', values: { holder } }
  if (isForNow(response, code)) {
    // The seed stays, so that the next try finds what this one may have made.
    await written(table.update(id, { set: { lockedUntil: 0 }, ...held }))
    return
  }
  const body = await response.clone().text()
  const headers = kept.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const done = {
    state: 'done',
    status: response.status,
    contentType: response.headers.get('content-type') ?? json,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body.length <= maxKeptCharacters && { body }),
  }
  await written(table.update(id, { set: done, ...held }))
}

/**
 * Whether a retry may be answered otherwise: after a fault of the platform, once something is paid, later, or when the
 * state that refused the request has changed. A turn that was cancelled has ended, though its status is 409 as well.
 */
function isForNow({ status, headers }: Response, code: string | undefined): boolean {
  return (
    status >= 500 ||
    status === 402 ||
    (status === 409 && code !== 'CANCELLED') ||
    status === 429 ||
    (status >= 400 && headers.has('retry-after'))
  )
}
