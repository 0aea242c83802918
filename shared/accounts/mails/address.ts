import type { Mail } from '../../platform/mail/port.ts'
import { mailTo } from './template.ts'

/** Tells the address that an account has that another is about to take its place. */
export function addressChangeAskedMail(
  to: string,
  name: string,
  newAddress: string,
  webUrl: string,
): Mail {
  return mailTo({
    to,
    name,
    subject: 'Your email address is about to change',
    paragraphs: [
      `Your account was asked to move to ${masked(newAddress)}. It does once that address is confirmed.`,
      'If it was not you, ask for a new password at once, which also stops this change:',
      `${webUrl}/login`,
    ],
  })
}

/** Tells the address that an account had until now that it has another. */
export function addressChangedMail(to: string, name: string, newAddress: string): Mail {
  return mailTo({
    to,
    name,
    subject: 'Your email address was changed',
    paragraphs: [
      `Your account has moved to ${masked(newAddress)}; this address no longer signs you in.`,
      'If it was not you, ask the support of this platform for help at once.',
    ],
  })
}

/** Enough of an address for its owner to know it; readers of the old mailbox must not learn the rest. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}…${address.slice(at)}`
}
