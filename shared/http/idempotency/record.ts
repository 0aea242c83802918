import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'
import { ConditionFailed, type Item, type Key, type Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { idempotencyRows } from './rows.ts'

/** The retention of responses: callers may retry for a day. */
const retentionSeconds = 86_400

/**
 * The maximum size of a stored response, which must fit into one item. A larger response is not stored, and a repeated
 * request gets an error.
 */
const maxKeptCharacters = 120_000

/** contract.md, General rules: a key is available again this time after the process of its request has died. */
const leaseMs = 30_000

/** Two consecutive renewals may fail before the lease of a running request ends. */
const renewEveryMs = 10_000

/** The content type of a response without one. */
const json = 'application/json'

type Row = ReturnType<typeof idempotencyRows.parse>

export interface IdempotencyClaim {
  /** The same for every attempt with this key, even after a crash. */
  seed: string
  /** Stores the response for replays, unless a retry may succeed. @param code the error code in the response */
  finish(response: Response, code?: string): Promise<void>
}

export interface ClaimRequest {
  /** The owner of the key: two callers may choose the same key. */
  actor: string
  key: string
  request: string
  seed: string
  /** The remaining run time of the request in milliseconds. A request that may run longer than the lease renews it. */
  lockMs: number
  /** Headers that a replay repeats, in lower case. */
  headers?: readonly string[] | undefined
  log: Pick<Log, 'warn'>
}

/**
 * Claims the right to run a request, or replays its stored response.
 * @throws PlatformError 409 for another request under the same key, 409 IDEMPOTENCY_IN_PROGRESS while the first
 * runs
 */
export async function claim(
  table: Table,
  { actor, key, request, seed, lockMs, headers = [], log }: ClaimRequest,
  now = Date.now(),
): Promise<IdempotencyClaim | Response> {
  const second = now / 1000
  const id = idempotencyRows.key({ actor, keyHash: await sha256Hex(key) })
  const requestHash = await sha256Hex(request)
  const claimed = {
    requestHash,
    state: 'running' as const,
    holder: seed,
    lockedUntil: second + Math.min(lockMs, leaseMs) / 1000,
    expiresAt: Math.floor(second) + retentionSeconds,
  }
  const values = { requestHash, running: 'running', now: second }
  const claimOf = (own: string): IdempotencyClaim => {
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
      set: claimed,
      expression: '#seed = if_not_exists(#seed, :seed)',
      if: `attribute_not_exists(pk) OR (${abandoned})`,
      values: { ...values, seed },
    })
    return claimOf(idempotencyRows.parse(item).seed)
  } catch (error) {
    if (!(error instanceof ConditionFailed) || error.item === undefined) throw error
    let row = idempotencyRows.parse(error.item)
    if (row.expiresAt <= second) {
      const overtaken = await replaceExpired(table, { ...id, ...claimed, seed }, second)
      if (overtaken === undefined) return claimOf(seed)
      row = overtaken
    }
    // The response to this write was lost, and the client library repeated the write.
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
    tryWrite(renewed).then(
      (isHolder) => isHolder || clearInterval(timer),
      (error: unknown) => log.warn('the lease of an idempotency key was not renewed', { error }),
    )
  }, renewEveryMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The claim of a process that died within the last day, whose seed is reused. */
const abandoned =
  '#requestHash = :requestHash AND #state = :running AND #lockedUntil <= :now AND #expiresAt > :now'

/**
 * An expired row counts as absent, though the table may take days to remove it: neither its response nor its seed is
 * reused.
 * @returns the current row if another request replaced it first
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
    throw new PlatformError('conflict', 'The first response was too large to store', {
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

/** Writes nothing if another request has claimed the key after this request's lease ended. */
async function finish(
  {
    table,
    headers: headerNames,
    holder,
  }: { table: Table; headers: readonly string[]; holder: string },
  id: Key,
  { response, code }: { response: Response; code: string | undefined },
): Promise<void> {
  const ifHolder = { if: '#holder = :holder', values: { holder } }
  if (isForNow(response, code)) {
    // The seed stays, so that the next attempt finds objects that this attempt may have created.
    await tryWrite(table.update(id, { set: { lockedUntil: 0 }, ...ifHolder }))
    return
  }
  const body = await response.clone().text()
  const headers = headerNames.flatMap((name) => {
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
  await tryWrite(table.update(id, { set: done, ...ifHolder }))
}

/**
 * Returns whether a retry may get another response: after a fault of the platform, after a payment, after a limit has
 * reset, or after a change of the state that caused a refusal. A cancelled turn is final, although its status is 409
 * too.
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
