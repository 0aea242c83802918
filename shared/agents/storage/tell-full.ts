import { mailTo } from '#shared/accounts/users/mails/template.ts'
import { notify } from '#shared/accounts/users/notify.ts'
import type { User } from '#shared/accounts/users/user.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { isoOf } from '#shared/platform/times.ts'
import { webhookParts, type WebhookEventContext } from '#shared/signals/outbound-webhooks/emit.ts'
import { quotaOf } from './quota.ts'
import { storageRows } from './rows.ts'

export type TellsFull = WebhookEventContext &
  Pick<Context, 'table' | 'log'> &
  Can<'adminEmails' | 'mailer' | 'webUrl'>

/**
 * Informs a user that their storage is full: once, until less than 90 % were used in between. The event is written with
 * the mark. If this process dies before the mail, the next refused write sends it.
 */
export async function tellFull(ctx: TellsFull, user: User, now = Date.now()): Promise<void> {
  const { table } = ctx
  const { id: userId } = user
  const key = storageRows.key({ userId })
  const use = await storageRows.find(table, { userId })
  const used = (use?.taken ?? 0) - (use?.reserved ?? 0)
  const quota = quotaOf(user, ctx.adminEmails)
  const fullAt = use?.fullAt ?? isoOf(now)
  if (use?.fullAt === undefined) {
    const event = { type: 'storage.full', data: { used, quota } } as const
    const refusals = await tryCommit(table, {
      use: {
        update: key,
        set: { fullAt, untold: true },
        if: 'attribute_not_exists(#fullAt)',
      },
      ...(await webhookParts(ctx, userId, [event], now)),
    })
    if (refusals !== undefined) return
  } else if (use.untold === undefined) return
  await notify(ctx, userId, {
    ...mailTo({
      to: user.email,
      name: user.name,
      subject: 'The storage of your agents is full',
      paragraphs: [
        `Your agents use ${inGb(used)} of ${inGb(quota)} GB. Files cannot be written through the API until some are deleted.`,
        'You can delete files, or buy more storage:',
        `${ctx.webUrl}/billing`,
      ],
    }),
    once: `storage-full#${userId}#${fullAt}`,
  })
  await table.update(key, { remove: ['untold'] })
}

function inGb(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(2)
}
