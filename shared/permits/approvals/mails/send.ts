import { mailTo } from '#shared/accounts/users/mails/template.ts'
import { isWalletAddress } from '#shared/accounts/users/schema.ts'
import { findUser, type User } from '#shared/accounts/users/user.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { LeaseLost, unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { type Approval, isOpen } from '../approval.ts'
import { type approvalMailRows, approvalRows } from '../rows.ts'
import type { ApprovalWork } from '../topic.ts'
import { approvalMailWork } from './items.ts'

export type MailContext = Pick<Context, 'table' | 'log'> &
  Sends<'approvals'> &
  Can<'mailer' | 'webUrl'>

/** The delay after a mail that could not be sent. */
const againSeconds = 300

/** The number of agents that a mail names. */
const namedAgents = 5

/**
 * Mails an owner that approvals are pending. The time is stored before the approvals are read, so that a later approval
 * requests the next mail. A mail that is repeated after a kill is dropped, because its id contains this time.
 */
export async function sendApprovalMail(
  ctx: MailContext,
  {
    mail: row,
    message,
    now,
  }: { mail: ReturnType<typeof approvalMailRows.parse>; message: ApprovalWork; now: number },
): Promise<void> {
  const mail = await approvalMailWork.claim(ctx, row, { message, now })
  if (mail === undefined) return
  try {
    await send(ctx, mail, now)
  } catch (error) {
    if (error instanceof LeaseLost) return
    ctx.log.error('a mail about approvals was not sent', { userId: mail.userId, error })
    await unlessLeaseLost(approvalMailWork.later(ctx, mail, againSeconds))
  }
}

async function send(
  ctx: MailContext,
  mail: ReturnType<typeof approvalMailRows.parse>,
  now: number,
): Promise<void> {
  const { userId } = mail
  const sentAt = mail.sentAt ?? isoOf(now)
  if (mail.sentAt === undefined) await approvalMailWork.save(ctx, mail, { set: { sentAt } })
  const store = userStore(ctx.table, userId)
  const items = await allItems((from) =>
    store.query({
      beginsWith: approvalRows.prefix(),
      filter: '#state = :pending',
      values: { pending: 'pending' },
      ...from,
    }),
  )
  const waiting = items.map(approvalRows.parse).filter((one) => isOpen(one, now))
  const user = await findUser(ctx.table, userId)
  if (user !== undefined && waiting.length > 0 && !isWalletAddress(user.email)) {
    const names = await agentNames(ctx, userId, waiting)
    await ctx.mailer.send(approvalMail({ user, waiting, names, sentAt, webUrl: ctx.webUrl }))
  }
  await approvalMailWork.finish(ctx, mail, {})
}

async function agentNames(
  { table }: MailContext,
  userId: string,
  waiting: readonly Approval[],
): Promise<string[]> {
  const ids = [...new Set(waiting.map(({ agentId }) => agentId))].slice(0, namedAgents)
  const agents = await Promise.all(ids.map((agentId) => readAgent(table, { userId, agentId })))
  return agents.flatMap((agent) => (agent === undefined ? [] : [agent.name]))
}

/** The mail contains no text of the requests, because a third party may have chosen it. */
function approvalMail({
  user: { id, email, name },
  waiting,
  names,
  sentAt,
  webUrl,
}: {
  user: User
  waiting: readonly Approval[]
  names: readonly string[]
  sentAt: string
  webUrl: string
}): Mail {
  const [first] = waiting
  const one = waiting.length === 1
  const count = one ? '1 request' : `${waiting.length} requests`
  return {
    ...mailTo({
      to: email,
      name,
      subject: `${count} of your agents ${one ? 'waits' : 'wait'} for your approval`,
      paragraphs: [
        `${count} of ${names.join(', ') || 'your agents'} ${one ? 'waits' : 'wait'} for your decision. Read and decide here:`,
        one && first !== undefined ? `${webUrl}/approvals/${first.id}` : `${webUrl}/approvals`,
        'A request that is not decided within 24 hours expires, and nothing is carried out.',
      ],
    }),
    once: `approvals#${id}#${sentAt}`,
  }
}
