import { createHash } from 'node:crypto'
import { consumed, writeUsage } from './capacity.ts'
import { DatabaseError, transactionCanceled, validationError } from './errors.ts'
import type { CancellationReason } from './errors.ts'
import { applyChange } from './items.ts'
import type { ItemChange } from './items.ts'
import { locate, locateNew, planCheck, planDelete, planPut, planUpdate } from './plan.ts'
import type { Session } from './plan.ts'
import { projected, read } from './read.ts'
import type { Inputs, TransactWrite } from './requests.ts'
import type { Item } from './values.ts'
import { repeatsItem } from './write.ts'

const REPEATED = 'Transaction request cannot include multiple operations on one item'
const MAX_BYTES = 4 * 1024 * 1024
const TOKEN_LIFETIME_MS = 10 * 60 * 1000

/**
 * Makes all of the writes or none. Requests run one at a time here, so TransactionConflict never occurs; callers must
 * handle it anyway. The client token is stored in the same commit as the writes, so a retry after a crash finds both or
 * neither.
 * @throws TransactionCanceledException with a reason for each action, in order
 * @throws IdempotentParameterMismatchException if a token is reused with another request
 */
export function transactWriteItems(session: Session, input: Inputs['TransactWriteItems']): object {
  const { TransactItems: actions, ClientRequestToken: token } = input
  const places = actions.map((action) => place(session, action))
  if (repeatsItem(places)) throw validationError(REPEATED)
  if (token !== undefined && isRepeat(session, token, actions)) return {}
  const outcomes = actions.map((action) => attempt(session, action))
  const reasons = outcomes.map((it) => ('reason' in it ? it.reason : { Code: 'None' as const }))
  if (reasons.some(({ Code }) => Code !== 'None')) throw transactionCanceled(reasons)
  const changes = outcomes.flatMap((it) => ('change' in it ? [it.change] : []))
  const bytes = changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0)
  if (bytes > MAX_BYTES) throw validationError('Transaction request size exceeds the limit')
  for (const change of changes) {
    if (change.after !== change.before) applyChange(session.storage, change)
  }
  const capacity = consumed(input, () => changes.map(writeUsage), 2)
  return capacity ? { ConsumedCapacity: capacity } : {}
}

function place(session: Session, { Put, Update, Delete, ConditionCheck }: TransactWrite) {
  if (Put) return locateNew(session, Put.TableName, Put.Item)
  const { TableName, Key } = (Update ?? Delete ?? ConditionCheck)!
  return locate(session, TableName, Key)
}

function attempt(
  session: Session,
  action: TransactWrite,
): { change: ItemChange } | { reason: CancellationReason } {
  try {
    return { change: plan(session, action) }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const details = { Message: error.message, ...error.details }
    if (error.name === 'ConditionalCheckFailedException') {
      return { reason: { Code: 'ConditionalCheckFailed', ...details } }
    }
    if (error.name !== 'ValidationException') throw error
    return { reason: { Code: 'ValidationError', ...details } }
  }
}

function plan(
  session: Session,
  { Put, Update, Delete, ConditionCheck }: TransactWrite,
): ItemChange {
  if (Put) return planPut(session, Put)
  if (Update) return planUpdate(session, Update)
  if (Delete) return planDelete(session, Delete)
  return planCheck(session, ConditionCheck!)
}

/** Returns whether the token was used before; if not, stores it for ten minutes. */
function isRepeat({ storage, now }: Session, token: string, actions: TransactWrite[]): boolean {
  const at = now()
  const request = createHash('sha256').update(canonical(actions)).digest('base64')
  storage.run('DELETE FROM tokens WHERE at <= ?', at - TOKEN_LIFETIME_MS)
  const sql = 'SELECT request FROM tokens WHERE token = ?'
  const seen = storage.first<{ request: string }>(sql, token)
  if (seen && seen.request !== request) {
    throw new DatabaseError(
      'IdempotentParameterMismatchException',
      'The ClientRequestToken was used before with other request parameters',
    )
  }
  if (!seen) storage.run('INSERT INTO tokens VALUES (?, ?, ?)', token, request, at)
  return seen !== undefined
}

/** Returns JSON with sorted members, so that equal requests give equal text. */
function canonical(actions: TransactWrite[]): string {
  return JSON.stringify(actions, (_, value: unknown) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** Reads a snapshot of up to 100 items. */
export function transactGetItems(session: Session, input: Inputs['TransactGetItems']): object {
  const gets = input.TransactItems.map(({ Get }) => ({ ...Get, ConsistentRead: true }))
  if (repeatsItem(gets.map((get) => locate(session, get.TableName, get.Key)))) {
    throw validationError(REPEATED)
  }
  const reads = gets.map((get) => read(session, get))
  const responses = reads.map(({ found }, i): { Item?: Item } =>
    found ? { Item: projected(found.item, gets[i]?._projection) } : {},
  )
  const capacity = consumed(input, () => reads.map(({ usage }) => usage), 2)
  return { Responses: responses, ...(capacity && { ConsumedCapacity: capacity }) }
}
