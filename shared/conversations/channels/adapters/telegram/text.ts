import { telegramText } from '../limits.ts'
import { type Marks, withMarks } from '../marks.ts'
import { inParts } from '../parts.ts'

/** Plain text: Telegram refuses a whole message if one of its marks is wrong. */
const marks: Marks = {
  escape: (text) => text,
  bold: (text) => text,
  italic: (text) => text,
  strike: (text) => text,
  link: (text, href) => (text === href ? text : `${text} (${href})`),
}

/** Returns the messages of an answer. */
export function telegramMessages(answer: string): string[] {
  return inParts(withMarks(answer, marks), telegramText)
}
