import { mailTo } from '#shared/accounts/users/mails/template.ts'
import type { User } from '#shared/accounts/users/user.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { Agent } from '../record/agent.ts'
import { inGigabytes } from './limits.ts'

interface Heavy {
  user: Pick<User, 'email' | 'name'>
  agent: Pick<Agent, 'id' | 'name'>
  date: string
  limits: { included: number; most: number }
  webUrl: string
}

/** Returns the mail to an owner whose agent sends more than its plan includes. It is sent once a day. */
export function trafficMail({ user, agent, date, limits, webUrl }: Heavy): Mail {
  return {
    ...mailTo({
      to: user.email,
      name: user.name,
      subject: `${agent.name} sends a lot of data`,
      paragraphs: [
        `On ${date} (UTC) your agent ${agent.name} has sent more than ${inGigabytes(limits.included)}, which its plan includes a day.`,
        `The platform stops the agent if it sends ${inGigabytes(limits.most)} on that day. You can check it here:`,
        `${webUrl}/agents/${agent.id}`,
      ],
    }),
    once: `traffic#${agent.id}#${date}`,
  }
}
