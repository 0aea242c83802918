import { mailTo } from '#shared/accounts/users/mails/template.ts'
import { isWalletAddress } from '#shared/accounts/users/schema.ts'
import { findUser, type User } from '#shared/accounts/users/user.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { isoOf } from '#shared/platform/times.ts'
import {
  type DisabledBecause,
  endpointRows,
  type WebhookEndpoint,
  webhooksDue,
} from '#shared/signals/outbound-webhooks/rows.ts'

/** contract.md 11: an endpoint is disabled after this time of failures, in milliseconds. */
const failingMs = 3 * 86_400_000

/** Resets the failure time of an endpoint after a success. */
export async function recordSuccess(
  { table }: Pick<Context, 'table'>,
  { userId, id: endpointId, failingSince }: WebhookEndpoint,
): Promise<void> {
  if (failingSince === undefined) return
  await tryWrite(
    table.update(endpointRows.key({ userId, endpointId }), {
      remove: ['failingSince'],
      if: '#failingSince = :seen AND attribute_not_exists(#disabledAt)',
      values: { seen: failingSince },
    }),
  )
}

/**
 * Records the time of an endpoint's first failure, and disables an endpoint after three days of failures. The same
 * write puts the notification of its user into the index, where the tick finds it.
 * @param now epoch milliseconds
 */
export async function recordFailure(
  ctx: Pick<Context, 'table'> & Can<'mailer' | 'webUrl'>,
  { userId, id: endpointId, failingSince }: WebhookEndpoint,
  now: number,
): Promise<void> {
  const key = endpointRows.key({ userId, endpointId })
  const at = isoOf(now)
  if (failingSince === undefined) {
    await tryWrite(
      ctx.table.update(key, {
        set: { failingSince: at },
        if: 'attribute_exists(pk) AND attribute_not_exists(#failingSince)',
      }),
    )
    return
  }
  if (now - Date.parse(failingSince) < failingMs) return
  await disable(ctx, { userId, id: endpointId, failingSince }, { now, because: 'failing' })
}

/**
 * Disables an endpoint and mails its user, unless a delivery has succeeded in the meantime.
 * @param input.now epoch milliseconds
 * @param input.because `gone` if the receiver responded with 410
 */
export async function disable(
  ctx: Pick<Context, 'table'> & Can<'mailer' | 'webUrl'>,
  { userId, id: endpointId, failingSince }: Pick<WebhookEndpoint, 'userId' | 'id' | 'failingSince'>,
  { now, because }: { now: number; because: DisabledBecause },
): Promise<void> {
  const disabled = await tryWrite(
    ctx.table.update(endpointRows.key({ userId, endpointId }), {
      set: {
        disabledAt: isoOf(now),
        disabledBecause: because,
        ...webhooksDue.at(endpointId, now),
      },
      if:
        because === 'gone'
          ? 'attribute_exists(pk) AND attribute_not_exists(#disabledAt)'
          : '#failingSince = :seen AND attribute_not_exists(#disabledAt)',
      ...(because === 'failing' && { values: { seen: failingSince } }),
    }),
  )
  if (disabled) await notifyDisabled(ctx, { userId, endpointId })
}

/** Mails a user that an endpoint was disabled. The mail is sent once, because it has a deduplication key. */
export async function notifyDisabled(
  { table, mailer, webUrl }: Pick<Context, 'table'> & Can<'mailer' | 'webUrl'>,
  { userId, endpointId }: { userId: string; endpointId: string },
): Promise<void> {
  const key = endpointRows.key({ userId, endpointId })
  const row = await table.get(key)
  const {
    disabledAt,
    disabledBecause = 'failing',
    url,
  } = row === undefined ? {} : endpointRows.parse(row)
  if (disabledAt === undefined || url === undefined || row?.gsi1pk === undefined) return
  const user = await findUser(table, userId)
  if (user !== undefined && !isWalletAddress(user.email))
    await mailer.send(disabledMail(user, { endpointId, disabledAt, disabledBecause, url }, webUrl))
  await tryWrite(table.update(key, { remove: ['gsi1pk', 'gsi1sk'], if: 'attribute_exists(pk)' }))
}

function disabledMail(
  { email, name }: Pick<User, 'email' | 'name'>,
  {
    endpointId,
    disabledAt,
    disabledBecause,
    url,
  }: { endpointId: string; disabledAt: string; disabledBecause: DisabledBecause; url: string },
  webUrl: string,
): Mail {
  // Contains only the host, because the rest of the address may be secret.
  const named = `your webhook endpoint ${endpointId} on ${new URL(url).host}`
  return {
    ...mailTo({
      to: email,
      name,
      subject: 'A webhook endpoint was disabled',
      paragraphs: [
        disabledBecause === 'gone'
          ? `The server of ${named} responded with 410 Gone: it accepts no more webhooks. No more events are sent to it.`
          : `Every delivery to ${named} failed for three days. No more events are sent to it.`,
        'When the server works again, delete the endpoint and create a new one:',
        `${webUrl}/dashboard`,
      ],
    }),
    once: `webhook-endpoint#${endpointId}#disabled#${disabledAt}`,
  }
}
