import { notFound } from '#shared/platform/errors.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { addTime, removeTime } from '#shared/platform/table/recent-times.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { scopesOfRow } from '../users/stored-scopes.ts'
import { renewClient } from './clients.ts'
import { readUserCode } from './device-begin.ts'
import { deviceRows, type OAuthDevice, userCodeRows, guessRows } from './rows.ts'

/**
 * Returns the device that shows a code and waits for an answer. Codes that no device shows count as guesses.
 * @throws PlatformError 404 for an unknown or answered code, 429 after too many unknown codes
 */
export async function findDevice(
  { table, actor }: Pick<UserContext, 'actor' | 'table'>,
  { userCode: enteredCode }: { userCode: string },
  now = Date.now(),
): Promise<OAuthDevice> {
  const undoCount = await countGuess(table, actor.user.id)
  const userCode = readUserCode(enteredCode)
  const code = userCode && (await table.get(userCodeRows.key({ userCode })))
  if (!code) throw notFound('Code')
  const { deviceHash } = userCodeRows.parse(code)
  const device = await deviceRows.find(table, { deviceHash })
  if (device === undefined || Date.parse(device.validUntil) <= now) throw notFound('Code')
  // The code was right, although the device is already answered.
  await undoCount()
  if (device.decision !== undefined) throw notFound('Code')
  return device
}

/** Answers a device, once. @throws the errors of findDevice */
export async function decideDevice(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'>,
  { userCode, approve }: { userCode: string; approve: boolean },
): Promise<void> {
  const device = await findDevice(ctx, { userCode })
  const { id: userId, accessEpoch } = ctx.actor.user
  const { deviceHash, clientId, clientName, host } = device
  await commit(
    ctx.table,
    {
      device: {
        update: deviceRows.key({ deviceHash }),
        set: approve ? { decision: 'approved', userId, accessEpoch } : { decision: 'denied' },
        if: 'attribute_exists(pk) AND attribute_not_exists(#decision)',
      },
      client: approve ? renewClient(clientId) : undefined,
      audit: approve
        ? await audit(ctx, 'key.created', {
            userId,
            target: clientId,
            after: { clientId, clientName, scopes: scopesOfRow(device), host },
          })
        : undefined,
    },
    { device: () => notFound('Code'), client: () => notFound('Code') },
  )
}

/** contract.md 12. */
const maxGuesses = 10
const windowMs = 600_000

/**
 * Counts an entered code as wrong before it is checked, so that concurrent guesses are counted too.
 * @returns a function that undoes the count
 * @throws PlatformError 429 after too many wrong codes within ten minutes
 */
async function countGuess(
  table: Table,
  userId: string,
  now = Date.now(),
): Promise<() => Promise<void>> {
  const row = userStore(table, userId).row(guessRows.sk({}))
  const guesses = { row, parse: guessRows.parse, windowMs }
  await addTime(guesses, {
    most: maxGuesses,
    refusal: 'Too many wrong codes; try again later',
    now,
  })
  return () => removeTime(guesses, now)
}
