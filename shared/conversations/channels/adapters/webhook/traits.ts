import type { Traits } from '../adapter.ts'
import { webhookFile, webhookText } from '../limits.ts'

export const webhookTraits: Traits = {
  signedSenders: true,
  answers: ({ settings }) => settings['answerUrl'] !== undefined,
  safeToRepeat: true,
  split: (text) => [text.slice(0, webhookText)],
  refuses: ({ size }) =>
    size > webhookFile ? `A file to a webhook has at most ${webhookFile} bytes` : undefined,
}
