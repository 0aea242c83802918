import { sha256Hex } from '#shared/platform/crypto.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { checkResource } from './authorize.ts'
import { findClient } from './clients.ts'
import { oauthError } from './errors.ts'
import { newGrant } from './grant.ts'
import { deviceRows, type OAuthDevice } from './rows.ts'
import type { TokenAnswer } from './schema.ts'

/** The network can make a poll arrive this many milliseconds early. */
const slackMs = 1000

const over = () => oauthError('expired_token', 'The device code was used or has expired')

/**
 * Exchanges a device code for tokens if the user has approved the device: RFC 8628, 3.5.
 * @param form the fields of the request
 * @throws PlatformError 400 authorization_pending, slow_down, access_denied, expired_token, invalid_grant or
 * invalid_target, 401 invalid_client
 */
export async function exchangeDevice(
  { table, webUrl }: { table: Table; webUrl: string },
  form: Readonly<Record<string, string | undefined>>,
  now = Date.now(),
): Promise<TokenAnswer> {
  const client = await findClient(table, form.client_id)
  checkResource(form.resource, webUrl)
  const key = deviceRows.key({ deviceHash: await sha256Hex(form.device_code ?? '') })
  const item = await table.get(key)
  const device = item && deviceRows.parse(item)
  if (device === undefined || device.clientId !== client.id)
    throw oauthError('invalid_grant', 'The device code is unknown')
  if (Date.parse(device.validUntil) <= now || device.grantId !== undefined) throw over()
  if (device.decision === 'denied') throw oauthError('access_denied', 'The user denied the request')
  const { userId, accessEpoch } = device
  if (device.decision === undefined || userId === undefined || accessEpoch === undefined)
    return wait(table, device, now)
  const { id: grantId, parts, answer } = await newGrant(table, { ...device, userId, accessEpoch })
  const refusals = await tryCommit(table, {
    device: {
      update: key,
      set: { grantId },
      if: 'attribute_exists(pk) AND attribute_not_exists(#grantId)',
    },
    ...parts,
  })
  if (refusals !== undefined) throw over()
  return answer
}

async function wait(
  table: Table,
  { deviceHash, askedAt, interval }: OAuthDevice,
  now: number,
): Promise<never> {
  const soon = askedAt !== undefined && Date.parse(askedAt) > now - interval * 1000 + slackMs
  await table
    .update(deviceRows.key({ deviceHash }), {
      set: {
        askedAt: isoOf(now),
        interval: soon ? interval + 5 : interval,
      },
      if: 'attribute_exists(pk)',
    })
    .catch((error: unknown) => {
      if (error instanceof ConditionFailed) throw over()
      throw error
    })
  if (soon) throw oauthError('slow_down', 'Increase the interval between polls by five seconds')
  throw oauthError('authorization_pending', 'The user has not answered yet')
}
