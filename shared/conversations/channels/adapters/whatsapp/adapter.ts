import type { Adapter } from '../adapter.ts'
import { whatsappTypingSeconds } from '../limits.ts'
import { send, typing } from './answer.ts'
import { whatsappChange } from './fields.ts'
import { download, mediaKind, noMedia } from './files.ts'
import { read } from './read.ts'
import { reports } from './reports.ts'
import { setUp } from './set-up.ts'
import { whatsappMessages } from './text.ts'
import { challenge, verify } from './verify.ts'

/** A phone number of WhatsApp's Cloud API. */
export const whatsapp: Adapter = {
  change: whatsappChange,
  secretFields: ['accessToken', 'appSecret', 'verifyToken'],
  safeToRepeat: false,
  verify,
  challenge,
  read,
  reports,
  download,
  split: whatsappMessages,
  refuses: (file) => (mediaKind(file.mime, file.size) === undefined ? noMedia(file) : undefined),
  send,
  typing,
  typingSeconds: whatsappTypingSeconds,
  setUp,
}
