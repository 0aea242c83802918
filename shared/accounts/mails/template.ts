import { escapeHtml, mailHtml } from '../../platform/mail/html.ts'
import type { Mail } from '../../platform/mail/port.ts'
import { greeting } from './greeting.ts'

export interface Template {
  to: string
  /** What the reader calls themselves. */
  name: string
  subject: string
  /** Plain text, a paragraph each; one that is a link by itself can be clicked. */
  paragraphs: readonly string[]
}

/** A mail to a user, the same in text and in HTML. */
export function mailTo({ to, name, subject, paragraphs }: Template): Mail {
  const all = [greeting(name, to), ...paragraphs]
  return { to, subject, text: `${all.join('\n\n')}\n`, html: mailHtml(all.map(toHtml)) }
}

function toHtml(paragraph: string): string {
  const text = escapeHtml(paragraph)
  return /^https?:\S+$/.test(paragraph) ? `<a href="${text}">${text}</a>` : text
}
