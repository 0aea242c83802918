import { sha256Hex } from '#shared/platform/crypto.ts'
import type { AuditContext } from '#shared/platform/identity/audit.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { setAccess } from '../providers/linking/access.ts'
import { linkRows } from '../providers/linking/rows.ts'
import { removeTokens } from '../providers/linking/tokens.ts'
import { endAccess, type EndsAgentWebhooks, endSessions } from '../users/end-sessions.ts'
import { emailRows } from '../users/rows.ts'
import { knownEmail } from '../users/schema.ts'
import { seenEventRows } from './rows.ts'
import type { Receiver, SecurityEvent, SecurityEventMessage, Subject } from './topic.ts'
import { rememberedSeconds } from './verify.ts'

/** The access to a user's identity provider. */
export interface ProviderAccess {
  sealer: Sealer | undefined
  /** Revokes a refresh token at the provider; absent if the provider is not configured. */
  revoke: ((refreshToken: string) => Promise<void>) | undefined
}

/** An event, and its position among its user's events, as a text that sorts by time. */
interface Occurrence {
  userId: string
  event: SecurityEvent
  order: string
}

type Action = (
  context: Pick<Context, 'log'> & AuditContext & EndsAgentWebhooks & ProviderAccess,
  occurrence: Occurrence,
) => Promise<unknown>

/** Events that report that another person may have the account's credentials. */
const compromises: ReadonlySet<string> = new Set(['account-compromised', 'credential-compromise'])

/** contract.md 2: keys survive an event, unless another person may have used the account. */
const endAll: Action = (ctx, { userId, event }) =>
  event.reason === 'hijacking' || compromises.has(event.name)
    ? endAccess(ctx, { userId })
    : endSessions(ctx, { userId })

const disable: Action = async (context, occurrence) => {
  const { userId, event, order } = occurrence
  if (event.reason === 'hijacking')
    await setAccess(context, { userId, provider: 'idp', disabled: true, order })
  await endAll(context, occurrence)
}

const enable: Action = (context, { userId, order }) =>
  setAccess(context, { userId, provider: 'idp', disabled: false, order })

const revokeTokens: Action = async (context, occurrence) => {
  const { table, sealer, revoke, log } = context
  const { userId } = occurrence
  await endAll(context, occurrence)
  if (sealer === undefined) return
  const each = async (token: string): Promise<void> => {
    try {
      await revoke?.(token)
    } catch (error) {
      // The provider reports that it has revoked the token already; the stored copy is removed anyway.
      log.warn('a refresh token was not revoked at the provider', { userId, error })
    }
  }
  await removeTokens({ table, sealer }, { userId, provider: 'idp', each })
}

/**
 * The Events table of spec.md, with the additions of contract.md 2. Events outside the table, or without an action
 * in it, are acknowledged and logged.
 */
const actions: Readonly<Record<Receiver, ReadonlyMap<string, Action>>> = {
  risc: new Map([
    ['account-disabled', disable],
    ['account-enabled', enable],
    ['sessions-revoked', endAll],
    ['tokens-revoked', revokeTokens],
    ['credential-compromise', endAll],
  ]),
  legacy: new Map([
    ['account-disabled', endAll],
    ['sessions-revoked', endAll],
    ['account-compromised', endAll],
    ['credential-compromise', endAll],
    ['identifier-changed', endAll],
  ]),
}

/**
 * Carries out the actions of a token's events. Every action can be repeated, and runs before the row that detects a
 * repeated token is written: a process that ends in between only causes a repetition.
 */
export async function handleSecurityEvent(
  context: Pick<Context, 'log'> & AuditContext & EndsAgentWebhooks & ProviderAccess,
  { receiver, jti, events, occurredAt, receivedAt }: SecurityEventMessage,
): Promise<void> {
  const { table, log } = context
  const eventKey = { jtiHash: await sha256Hex(jti), receiver }
  if ((await table.get(seenEventRows.key(eventKey))) !== undefined)
    return log.info('security event repeated', { jti })
  const order = `${occurredAt.toFixed(3).padStart(16, '0')}#${receivedAt}`
  for (const event of events) {
    const userId = await findUserOf(table, event.subject)
    const action = actions[receiver].get(event.name)
    if (userId !== undefined) await action?.(context, { userId, event, order })
    const acted = action !== undefined && userId !== undefined
    log.info('security event', { jti, receiver, event: event.name, userId, acted })
  }
  const expiresAt = Math.ceil(Date.now() / 1000) + rememberedSeconds
  await table.put(seenEventRows.put(eventKey, {}, { expiresAt }))
}

/** Returns the user of an event: by the provider's subject first, then by email (spec.md). */
async function findUserOf(table: Table, { sub, email }: Subject): Promise<string | undefined> {
  const link = isSubject(sub)
    ? await table.get(linkRows.key({ provider: 'idp', subject: sub }))
    : undefined
  if (link !== undefined) return linkRows.parse(link).userId
  const address = knownEmail.safeParse(email)
  const row = address.success ? await table.get(emailRows.key({ email: address.data })) : undefined
  return row && emailRows.parse(row).userId
}

/** Longer texts are not subjects (OpenID Connect Core 1.0, section 2), and would not fit into keys. */
function isSubject(sub: string | undefined): sub is string {
  return sub !== undefined && sub !== '' && sub.length <= 255
}
