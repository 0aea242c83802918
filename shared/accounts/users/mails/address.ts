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
      `Your account was asked to move to ${masked(newAddress)}. It does once that address is confirmed.`,
      'If it was not you, ask for a new password at once, which also stops this change:',
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
      `Your account has moved to ${masked(newAddress)}; this address no longer signs you in.`,
      'If it was not you, ask the support of this platform for help at once.',
    ],
  })
}

/** Masks an address: its owner recognizes it, but readers of the old mailbox must not learn it. */
function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}…${address.slice(at)}`
}
