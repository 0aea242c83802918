import type { Mail } from '#shared/platform/mail/port.ts'
import { mailTo } from './template.ts'

/** Asks the holder of an address to open a link, which proves that they own the address. */
export function verificationMail(to: string, name: string, link: string): Mail {
  return mailTo({
    to,
    name,
    subject: 'Confirm your email address',
    paragraphs: [
      'Open this link within 24 hours to confirm your email address:',
      link,
      'If you did not sign up, ignore this mail: the address is not confirmed unless the link is opened.',
    ],
  })
}

/** Asks the holder of an address to open a link, which makes it the address of a user's account. */
export function newAddressMail(to: string, name: string, link: string): Mail {
  return mailTo({
    to,
    name,
    subject: 'Confirm your new email address',
    paragraphs: [
      'Open this link within 24 hours to make this the email address of your account:',
      link,
      'If you did not request this, ignore this mail: nothing changes unless the link is opened.',
    ],
  })
}
