import { whatsappText } from '../limits.ts'
import { type Marks, withMarks } from '../marks.ts'
import { inParts } from '../parts.ts'

/** WhatsApp has no escape: a mark of the text is shown as it is, or as a mark. */
const marks: Marks = {
  escape: (text) => text,
  bold: (text) => `*${text}*`,
  italic: (text) => `_${text}_`,
  strike: (text) => `~${text}~`,
  link: (text, href) => (text === href ? href : `${text} (${href})`),
}

/** Returns the messages of an answer in WhatsApp's formatting. */
export function whatsappMessages(answer: string): string[] {
  return inParts(withMarks(answer, marks), whatsappText)
}
