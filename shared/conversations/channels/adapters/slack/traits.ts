import type { Traits } from '../adapter.ts'
import { slackTypingSeconds } from '../limits.ts'
import { slackMessages } from './text.ts'

export const slackTraits: Traits = {
  safeToRepeat: false,
  split: slackMessages,
  typingSeconds: slackTypingSeconds,
}
