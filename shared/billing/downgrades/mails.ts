import { plainName } from '#shared/accounts/users/mails/greeting.ts'
import { mailTo } from '#shared/accounts/users/mails/template.ts'
import type { User } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { Mail } from '#shared/platform/mail/port.ts'

/** Mails to users about their paid access: docs/use/billing.md. Each change causes one mail. */

export type MailRecipient = Pick<User, 'id' | 'email' | 'name'>

type Named = Pick<Agent, 'id' | 'name'>

export function paymentFailedMail(reader: MailRecipient, since: string, webUrl: string): Mail {
  return about(reader, `late#${since}`, {
    subject: 'Your payment failed',
    paragraphs: [
      'The payment for your plan failed, or your bank disputes it. Running agents continue for now, but no agent can be started. A failed payment is retried over the next days; a dispute ends when your bank has decided it.',
      'Check your payment details here, so that no agent stops:',
      `${webUrl}/dashboard`,
    ],
  })
}

/** @param ended.agents the stopped agents; if the plan allows fewer agents than the user has, the newest ones */
export function planEndedMail(
  reader: MailRecipient,
  ended: { at: string; isOver: boolean; agents: readonly Named[]; keptUntil: string },
  webUrl: string,
): Mail {
  const { at, isOver, agents, keptUntil } = ended
  const what = isOver ? 'Your plan has ended.' : 'Your plan allows fewer agents than you have.'
  const stopped = [
    `These agents were therefore stopped: ${namesOf(agents)}.`,
    `They and their data are kept until ${dayOf(keptUntil)}, and start again automatically if your plan has room for them:`,
  ]
  return about(reader, `lapsed#${at}`, {
    subject: isOver ? 'Your plan has ended' : 'Some of your agents were stopped',
    paragraphs: [
      what,
      ...(agents.length > 0 ? stopped : ['You can choose a plan again at any time:']),
      `${webUrl}/dashboard`,
    ],
  })
}

export function deletionMail(
  reader: MailRecipient,
  { at, agents }: { at: string; agents: readonly Named[] },
  webUrl: string,
): Mail {
  return about(reader, `deletion#${at}`, {
    subject: `Your stopped agents will be deleted on ${dayOf(at)}`,
    paragraphs: [
      `Your plan has had no room for these agents for about a month: ${namesOf(agents)}.`,
      `On ${dayOf(at)} they will be deleted with all their data. They start again if you choose a plan that has room for them:`,
      `${webUrl}/dashboard`,
    ],
  })
}

export function startedAgainMail(
  reader: MailRecipient,
  { at, agents }: { at: string; agents: readonly Named[] },
  webUrl: string,
): Mail {
  return about(reader, `resumed#${at}`, {
    subject: 'Your agents have started again',
    paragraphs: [
      `Your plan has room for these agents again, so they have started: ${namesOf(agents)}.`,
      `${webUrl}/dashboard`,
    ],
  })
}

function about(
  { id, email, name }: MailRecipient,
  occasion: string,
  content: { subject: string; paragraphs: readonly string[] },
): Mail {
  return { ...mailTo({ to: email, name, ...content }), once: `entitlement#${id}#${occasion}` }
}

function namesOf(agents: readonly Named[]): string {
  return agents.map(({ id, name }) => plainName(name) ?? id).join(', ')
}

/** Formats a day in UTC: `1 December 2026`. */
function dayOf(at: string): string {
  const day = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat('en-GB', day).format(new Date(at))
}
