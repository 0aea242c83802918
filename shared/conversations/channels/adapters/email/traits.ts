import type { Traits } from '../adapter.ts'
import { refusedAttachment } from './refused-attachment.ts'
import { splitText } from './split.ts'

export const emailTraits: Traits = {
  // The queue of mails sends a mail once: functions/jobs/mails.ts.
  safeToRepeat: true,
  // A chat is a thread of mails.
  recipient: ({ to }) => to,
  split: splitText,
  refuses: refusedAttachment,
}
