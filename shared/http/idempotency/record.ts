import { sha256Hex } from '../../platform/crypto.ts'
import { PlatformError } from '../../platform/errors.ts'
import { ConditionFailed, type Item, type Key, type Table } from '../../platform/table/port.ts'
import { idempotencyRows } from './rows.ts'

/** Answers are kept for a day, as callers may retry for that long. */
const keptSeconds = 86_400

/** What fits into one item beside the rest; an answer that does not is not kept, and a repeat is told so. */
const maxKeptCharacters = 120_000

/** Of an answer that does not say. */
const json = 'application/json'

type Row = ReturnType<typeof idempotencyRows.parse>

export interface Claim {
  /** The same for every try under this key, also after a crash in the middle of one. */
  seed: string
  /** Keeps the answer for replays; not where a retry may do better. */
  finish(response: Response): Promise<void>
}

export interface ClaimRequest {
  /** Whose key it is: two callers may choose the same one. */
  actor: string
  key: string
  request: string
  seed: string
  /** How long the caller's process may still run: a claim that outlives it was left by a crash. */
  lockMs: number
  /** Headers that are part of the answer, in lower case: a replay has them too. */
  headers?: readonly string[] | undefined
}

/**
 * Takes the right to run a request, or answers what it answered before.
 * @throws PlatformError 409 for another request under the same key, 409 IDEMPOTENCY_IN_PROGRESS while the first runs
 */
export async function claim(
  table: Table,
  { actor, key, request, seed, lockMs, headers = [] }: ClaimRequest,
  now = Date.now(),
): Promise<Claim | Response> {
  const second = now / 1000
  const id = idempotencyRows.key({ actor, keyHash: await sha256Hex(key) })
  const requestHash = await sha256Hex(request)
  const taken = {
    requestHash,
    state: 'running' as const,
    holder: seed,
    lockedUntil: second + lockMs / 1000,
    expiresAt: Math.floor(second) + keptSeconds,
  }
  const values = { requestHash, running: 'running', now: second }
  const claimOf = (own: string): Claim => ({
    seed: own,
    finish: (response) => finish(table, id, response, headers),
  })
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

async function finish(
  table: Table,
  id: Key,
  response: Response,
  kept: readonly string[],
): Promise<void> {
  if (isForNow(response)) {
    // The seed stays, so that the next try finds what this one may have made.
    await table.update(id, { set: { lockedUntil: 0 } })
    return
  }
  const body = await response.clone().text()
  const headers = kept.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  await table.update(id, {
    set: {
      state: 'done',
      status: response.status,
      contentType: response.headers.get('content-type') ?? json,
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
      ...(body.length <= maxKeptCharacters && { body }),
    },
  })
}

/** No last word: a fault of ours, that something must be paid first, or that it is to be asked again later. */
function isForNow({ status, headers }: Response): boolean {
  return (
    status >= 500 ||
    status === 402 ||
    status === 429 ||
    (status >= 400 && headers.has('retry-after'))
  )
}
