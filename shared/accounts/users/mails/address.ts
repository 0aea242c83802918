import type { Mail } from '#shared/platform/mail/port.ts'
import { mailTo } from './template.ts'

/** Informs an account's address that a change to another address was requested. */
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
      `A change of your account’s email address to ${masked(newAddress)} was requested. It takes effect when that address is confirmed.`,
      'If you did not request this, reset your password now, which also cancels the change:',
      `${webUrl}/login`,
    ],
  })
}

/** Informs an account's former address that it was replaced. */
export function addressChangedMail(to: string, name: string, newAddress: string): Mail {
  return mailTo({
    to,
    name,
    subject: 'Your email address was changed',
    paragraphs: [
      `The email address of your account is now ${masked(newAddress)}. You can no longer sign in with this address.`,
      'If you did not request this, contact the support of this platform now.',
    ],
  })
}

/** Masks an address: its owner recognizes it, but readers of the old mailbox must not learn it. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}…${address.slice(at)}`
}
