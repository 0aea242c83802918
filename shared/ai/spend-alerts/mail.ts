import { mailTo } from '#shared/accounts/users/mails/template.ts'
import type { User } from '#shared/accounts/users/user.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { Alert } from './alerts.ts'

/** Returns the mail about the used part of a limit. */
export function alertMail(
  { id, email, name }: Pick<User, 'id' | 'email' | 'name'>,
  alert: Alert,
  webUrl: string,
): Mail {
  const { percent, month, day, used, limit } = alert.data
  const isSpend = alert.type === 'spend.threshold'
  const cap = day === undefined ? 'spend cap' : 'daily spend cap'
  const what = isSpend ? cap : 'quota'
  const next = day === undefined ? 'the next month' : 'the next day in UTC'
  const figures = isSpend
    ? `${used.toFixed(2)} of ${limit.toFixed(2)} USD`
    : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')} tokens`
  return {
    ...mailTo({
      to: email,
      name,
      subject: `${percent} % of your ${what} is used`,
      paragraphs: [
        `${day === undefined ? `In ${month}` : `On ${day}`} you have used ${figures}, which is ${percent} % of your ${what} or more.`,
        isSpend
          ? `When the cap is reached, calls are refused until ${next}. You can change the cap here:`
          : 'Calls above the quota use credits, or are refused until the next month:',
        `${webUrl}/dashboard`,
      ],
    }),
    once: `spend-alert#${id}#${alert.id}`,
  }
}
