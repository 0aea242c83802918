import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { isoOf } from '#shared/platform/times.ts'
import { parseInput } from '#shared/platform/validation.ts'
import type { Negotiation } from '../bus/negotiation.ts'
import { findAmplification } from './amplification.ts'
import { amplificationRows } from './rows.ts'
import { type Amplification, amplificationRequest, confirmation } from './schema.ts'

const requests = ['AMPLIFY_REQUEST', 'AMPLIFY_TRACK']
const confirm = 'AMPLIFY_CONFIRM'

/**
 * Returns the changes of an AMPLIFY_ message, for the transaction that accepts it.
 * @throws PlatformError 400 for an unknown action, an invalid payload, or a message to the sender; 404 for an
 * amplification that does not exist or belongs to other agents; 409 for a known messageId, or a confirmation that is
 * repeated or does not come from the recipient
 */
export const negotiateAmplification: Negotiation = async (
  { table },
  { message, sender, recipient, now },
) => {
  const { messageId, action, payload } = message
  const [from, to] = [sender.id, recipient.id]
  const at = isoOf(now)
  if (from === to) throw new PlatformError('bad-request', 'An agent cannot amplify itself')
  if (requests.includes(action)) {
    const { trackId, url, reward } = parseInput(amplificationRequest, payload)
    // An amplification is stored for longer than its message's id.
    if (await findAmplification({ table }, messageId))
      throw conflict('An amplification with this messageId already exists')
    const row: Amplification = {
      id: messageId,
      status: 'requested',
      from,
      to,
      trackId: trackId ?? null,
      url: url ?? null,
      reward,
      createdAt: at,
      updatedAt: at,
    }
    return {
      amplification: { put: amplificationRows.put({ id: messageId }, row), ...absent() },
    }
  }
  if (action !== confirm)
    throw new PlatformError(
      'bad-request',
      `action must be one of ${[...requests, confirm].join(', ')}`,
    )
  const { amplificationId: id } = parseInput(confirmation, payload)
  const existing = await findAmplification({ table }, id)
  if (existing === undefined || ![existing.from, existing.to].includes(from))
    throw notFound('Amplification')
  if (from !== existing.to) throw conflict('Only the recipient of the request can confirm it')
  if (to !== existing.from) throw conflict('A confirmation must go to the sender of the request')
  if (existing.status !== 'requested') throw conflict('The amplification is already confirmed')
  return {
    amplification: {
      update: amplificationRows.key({ id }),
      set: { status: 'confirmed', updatedAt: at },
      if: '#status = :requested',
      values: { requested: 'requested' },
    },
  }
}

function conflict(message: string): PlatformError {
  return new PlatformError('conflict', message)
}
