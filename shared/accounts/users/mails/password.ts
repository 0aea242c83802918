import type { Mail } from '#shared/platform/mail/port.ts'
import type { ChosenImage } from '../chosen-image.ts'
import type { EndedWebhook } from '../end-sessions.ts'
import { mailTo } from './template.ts'

/** Contains the link that sets a new password. */
export function resetMail(to: string, name: string, link: string): Mail {
  return mailTo({
    to,
    name,
    subject: 'Set a new password',
    paragraphs: [
      'Open this link within one hour to set a new password. It works once:',
      link,
      'If you did not request this, ignore this mail: your password does not change.',
    ],
  })
}

/** Informs a user that their password has changed. */
export function passwordChangedMail(to: string, name: string, webUrl: string): Mail {
  return mailTo({
    to,
    name,
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was changed, and all other devices were signed out.',
      'If you did not do this, reset your password now:',
      `${webUrl}/login`,
    ],
  })
}

/**
 * Informs a user that a link has set their password, and lists what to check, since another person may have used
 * the account.
 */
export function passwordResetMail(
  to: string,
  name: string,
  {
    webUrl,
    ended,
    images,
  }: { webUrl: string; ended: readonly EndedWebhook[]; images: readonly ChosenImage[] },
): Mail {
  const posted = ended.map(({ agentId, origin }) => `${agentId} (${origin})`).join(', ')
  return mailTo({
    to,
    name,
    subject: 'Your password was changed',
    paragraphs: [
      'The password of your account was set with a link that was mailed to you. All devices were signed out. API keys, webhook endpoints, ' +
        'keys of model providers and the collector of traces were removed.',
      ...(posted === ''
        ? []
        : [
            `The webhookUrl of these agents was taken away; set it again where it is yours: ${posted}.`,
          ]),
      ...(images.length === 0
        ? []
        : [
            'These agents run an image that was chosen with access to your account. Check that each choice is yours, and update the agent to the platform’s own image if not: ' +
              `${images.map(wordsOf).join('; ')}.`,
          ]),
      'If somebody else was in your account, look at the prompt and the channels of each of your agents too.',
      'If it was not you, ask for a new password at once:',
      `${webUrl}/login`,
    ],
  })
}

function wordsOf({ agentId, image, at, by }: ChosenImage): string {
  const choice =
    at === undefined || by === undefined ? '' : `, chosen on ${at} by ${by.replace(':', ' ')}`
  return `${agentId} (${image}${choice})`
}
