import type { Mail } from '#shared/platform/mail/port.ts'
import { mailTo } from './template.ts'

/**
 * Informs a user about a new way to sign in to their account.
 * @param method the name that users recognize: `Google`, `your wallet 0x12…ab`
 */
export function signInMethodLinkedMail(
  to: string,
  name: string,
  method: string,
  webUrl: string,
): Mail {
  return mailTo({
    to,
    name,
    subject: 'A new way to sign in was added',
    paragraphs: [
      `You can now also sign in with ${method}.`,
      'If you did not add it, reset your password now, which signs out all devices:',
      `${webUrl}/login`,
    ],
  })
}
