import type { Traits } from '../adapter.ts'
import { whatsappTypingSeconds } from '../limits.ts'
import { mediaKind, noMedia } from './media.ts'
import { whatsappMessages } from './text.ts'

export const whatsappTraits: Traits = {
  safeToRepeat: false,
  split: whatsappMessages,
  refuses: (file) => (mediaKind(file.mime, file.size) === undefined ? noMedia(file) : undefined),
  typingSeconds: whatsappTypingSeconds,
}
