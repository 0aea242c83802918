import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { storedScopes } from '../users/stored-scopes.ts'
import { checkResource } from './authorize.ts'
import { findClient } from './clients.ts'
import { deviceRows, type OAuthDevice, userCodeRows } from './rows.ts'
import { scopesOf } from './scope.ts'

/** contract.md 12: consonants only, without letters that look like others. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

export const deviceSeconds = 600
const interval = 5
const maxHostLength = 100

export interface DeviceRequest {
  form: Readonly<Record<string, string | undefined>>
  /** Describes the device to its user if the form does not. */
  userAgent: string | undefined
  ip: string
}

/**
 * Begins the sign-in of a device without a browser: RFC 8628.
 * @returns the device code and its row
 * @throws PlatformError 401 invalid_client, 400 invalid_scope or invalid_target
 */
export async function beginDevice(
  ctx: { table: Table; webUrl: string },
  { form, userAgent, ip }: DeviceRequest,
): Promise<{ deviceCode: string; device: OAuthDevice }> {
  const { table } = ctx
  const client = await findClient(table, form.client_id)
  checkResource(form.resource, ctx.webUrl)
  const deviceCode = randomToken()
  const now = Date.now()
  const host = (form.host ?? userAgent)?.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
  const device: OAuthDevice = {
    deviceHash: await sha256Hex(deviceCode),
    userCode: newUserCode(),
    clientId: client.id,
    clientName: client.name,
    ...storedScopes(scopesOf(form.scope)),
    host: host?.slice(0, maxHostLength) ?? null,
    address: ip,
    createdAt: isoOf(now),
    validUntil: isoOf(now + deviceSeconds * 1000),
    interval,
  }
  const { deviceHash, userCode } = device
  const more = { expiresAt: epochSeconds(now) + deviceSeconds }
  const refusals = await tryCommit(table, {
    code: { put: userCodeRows.put({ userCode }, { deviceHash }, more), ...absent(now) },
    device: { put: deviceRows.put({ deviceHash }, device, more) },
  })
  // Another device currently shows this code.
  if (refusals !== undefined) return beginDevice(ctx, { form, userAgent, ip })
  return { deviceCode, device }
}

function newUserCode(): string {
  const picked: string[] = []
  while (picked.length < 8) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    // 240 is the largest multiple of 20 below 256, so that all letters are equally likely.
    if (byte < 240) picked.push(letters[byte % 20] ?? '')
  }
  return `${picked.slice(0, 4).join('')}-${picked.slice(4).join('')}`
}

/** Normalizes a code that a person typed; undefined if it is not a code. */
export function readUserCode(text: string): string | undefined {
  const typed = text.toUpperCase().replace(/[\s-]/g, '')
  if (!new RegExp(`^[${letters}]{8}$`).test(typed)) return undefined
  return `${typed.slice(0, 4)}-${typed.slice(4)}`
}
