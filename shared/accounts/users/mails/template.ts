import { escapeHtml, mailHtml } from '#shared/platform/mail/html.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { greeting } from './greeting.ts'

export interface Template {
  to: string
  /** The reader's name, as they entered it. */
  name: string
  subject: string
  /** Plain text in paragraphs; a paragraph that is only a link becomes clickable. */
  paragraphs: readonly string[]
}

/** Creates a mail to a user, with the same content in text and HTML. */
export function mailTo({ to, name, subject, paragraphs }: Template): Mail {
  const all = [greeting(name, to), ...paragraphs]
  return { to, subject, text: `${all.join('\n\n')}\n`, html: mailHtml(all.map(toHtml)) }
}

function toHtml(paragraph: string): string {
  const text = escapeHtml(paragraph)
  return /^https?:\S+$/.test(paragraph) ? `<a href="${text}">${text}</a>` : text
}
