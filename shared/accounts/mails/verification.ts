import { escapeHtml, mailHtml } from '../../platform/mail/html.ts'
import type { Mail } from '../../platform/mail/port.ts'
import { greeting } from './greeting.ts'

/** Asks the holder of an address to open a link, which proves that the address is theirs. */
export function verificationMail(to: string, name: string, link: string): Mail {
  const hello = greeting(name, to)
  const ask = 'Open this link within 24 hours to confirm your email address:'
  const otherwise =
    'If you did not sign up, ignore this mail: the address stays unconfirmed without the link.'
  return {
    to,
    subject: 'Confirm your email address',
    text: `${hello}\n\n${ask}\n\n${link}\n\n${otherwise}\n`,
    html: mailHtml([
      escapeHtml(hello),
      ask,
      `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`,
      otherwise,
    ]),
  }
}
